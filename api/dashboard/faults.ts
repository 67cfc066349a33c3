import type { Language } from '../../shared/sentences/language.ts';

/**
 * What can be wrong with a field of a form, as the rules of the API say it, in Russian, Spanish and Chinese. `#` stands for a number.
 * A page shows it after the name of the field.
 */
export const FAULTS: Readonly<Record<string, readonly [ru: string, es: string, zh: string]>> = {
  'is required': ['нужно заполнить', 'es obligatorio', '必填'],
  'must not be empty': ['нужно заполнить', 'no puede estar vacío', '不能为空'],
  'must have at least # characters': [
    'не менее # знаков',
    'debe tener al menos # caracteres',
    '至少 # 个字符',
  ],
  'must have at most # characters': [
    'не более # знаков',
    'debe tener como máximo # caracteres',
    '最多 # 个字符',
  ],
  'must contain an uppercase letter': [
    'нужна заглавная буква',
    'debe contener una mayúscula',
    '须包含大写字母',
  ],
  'must contain a lowercase letter': [
    'нужна строчная буква',
    'debe contener una minúscula',
    '须包含小写字母',
  ],
  'must contain a digit': ['нужна цифра', 'debe contener un dígito', '须包含数字'],
  'must contain a special character': [
    'нужен специальный знак',
    'debe contener un carácter especial',
    '须包含特殊字符',
  ],
  'must not contain control characters': [
    'не должно быть управляющих знаков',
    'no debe contener caracteres de control',
    '不能包含控制字符',
  ],
  'must be an e-mail address': [
    'это не адрес почты',
    'debe ser un correo electrónico',
    '须为电子邮箱',
  ],
  'must be an address: 0x and 40 hexadecimal digits': [
    'нужен адрес: 0x и 40 шестнадцатеричных цифр',
    'debe ser una dirección: 0x y 40 dígitos hexadecimales',
    '须为地址：0x 加 40 位十六进制数字',
  ],
  'is not the password of this account': [
    'это не пароль этой учётной записи',
    'no es la de esta cuenta',
    '不是此账户的密码',
  ],
  'is not right; is the clock of your phone?': [
    'не подходит; верны ли часы телефона?',
    'no es correcto; ¿está en hora su teléfono?',
    '不正确；手机时间是否准确？',
  ],
  'is above the plan of this account': [
    'выше тарифа этой учётной записи',
    'supera el plan de esta cuenta',
    '高于此账户的套餐',
  ],
  'must be a URL': ['нужен URL', 'debe ser una URL', '须为 URL'],
  'must begin with https://': [
    'должно начинаться с https://',
    'debe empezar por https://',
    '须以 https:// 开头',
  ],
  'must not carry credentials': [
    'не должно содержать имени и пароля',
    'no debe llevar credenciales',
    '不能包含凭据',
  ],
  'must not have a fragment': [
    'не должно содержать фрагмента (#)',
    'no debe tener fragmento (#)',
    '不能包含片段（#）',
  ],
  'must use port # or #': ['порт # или #', 'debe usar el puerto # o #', '须使用端口 # 或 #'],
  'must not lead to a private, local or reserved address': [
    'не должно вести на частный, локальный или зарезервированный адрес',
    'no debe llevar a una dirección privada, local o reservada',
    '不能指向私有、本地或保留地址',
  ],
  'host cannot be resolved': [
    'такой сервер не найден',
    'no se encuentra ese servidor',
    '找不到该服务器',
  ],
  'must be the token of a bot, such as 123456789:AAE…': [
    'нужен токен бота, например 123456789:AAE…',
    'debe ser el token de un bot, como 123456789:AAE…',
    '须为机器人令牌，例如 123456789:AAE…',
  ],
  'must be the number of a chat, such as -1001234567890, or @channel': [
    'нужен номер чата, например -1001234567890, или @канал',
    'debe ser el número de un chat, como -1001234567890, o @canal',
    '须为聊天编号，例如 -1001234567890，或 @频道',
  ],
  'must have at least 1 item': ['выберите хотя бы одно', 'elija al menos uno', '至少选择一项'],
  'must be a time of day such as 22:30': [
    'нужно время, например 22:30',
    'debe ser una hora, como 22:30',
    '须为时间，例如 22:30',
  ],
  'must be an IANA time zone such as Europe/Berlin': [
    'нужен часовой пояс IANA, например Europe/Berlin',
    'debe ser una zona horaria IANA, como Europe/Berlin',
    '须为 IANA 时区，例如 Europe/Berlin',
  ],
  'the address is not confirmed: open the link that was sent to it': [
    'адрес не подтверждён: откройте отправленную на него ссылку',
    'la dirección no está confirmada: abra el enlace que se le envió',
    '地址尚未确认：请打开发送到该地址的链接',
  ],
  'the owner of the address had the mails stopped': [
    'владелец адреса отказался от писем',
    'el dueño de la dirección dejó de recibir los correos',
    '地址所有者已停止接收邮件',
  ],
  'gets no more links for now: try again in # seconds': [
    'ссылок пока больше нет: повторите через # с',
    'no recibe más enlaces por ahora: vuelva a probar dentro de # s',
    '暂不再发送链接：请 # 秒后再试',
  ],
};

const PLACE = { ru: 0, es: 1, zh: 2 } as const;
const NUMBER = /(?<![\w:-])\d+(?![\w:])/g;

/** What is wrong, in a language; as it is where only the rules of the API know it. */
export const faultIn = (language: Language, fault: string): string => {
  if (language === 'en') return fault;
  const numbers = fault.match(NUMBER) ?? [];
  const template = FAULTS[fault] ?? FAULTS[fault.replace(NUMBER, '#')];
  let next = 0;
  return template?.[PLACE[language]].replace(/#/g, () => numbers[next++] ?? '#') ?? fault;
};
