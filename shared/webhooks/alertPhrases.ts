import { type Language, type Texts, textIn } from '../sentences/language.ts';
import { fillTemplate } from '../sentences/writeSentence.ts';

/** What messages to people say, in English, Russian, Spanish and Chinese. */
const PHRASES = {
  // what happened, by `alert_type`
  rug_pull: ['Rug pull', 'Рагпул', 'Rug pull', '撤池跑路'],
  price_drop: ['Price drop', 'Падение цены', 'Caída del precio', '价格下跌'],
  new_token: ['New token', 'Новый токен', 'Nuevo token', '新代币'],
  liquidity_removed: [
    'Liquidity removed',
    'Ликвидность выведена',
    'Liquidez retirada',
    '流动性被移除',
  ],
  ownership_change: [
    'Ownership changed',
    'Сменился владелец',
    'Cambio de propietario',
    '所有权变更',
  ],
  tax_change: ['Tax changed', 'Изменился налог', 'Cambio de impuesto', '税率变更'],
  mint: ['Tokens minted', 'Выпущены токены', 'Tokens acuñados', '增发代币'],
  large_sell: ['Large sale', 'Крупная продажа', 'Venta grande', '大额卖出'],
  verdict_change: ['Verdict changed', 'Вердикт изменился', 'Cambió el veredicto', '结论变更'],
  cluster_activity: [
    'A ring of wallets is active',
    'Активность группы кошельков',
    'Actividad de una red de carteras',
    '钱包团伙活动',
  ],
  address_poisoning: [
    'Look-alike of a known address',
    'Адрес, похожий на знакомый',
    'Imitación de una dirección conocida',
    '仿冒熟悉的地址',
  ],
  unlock_soon: [
    'A lock ends soon',
    'Блокировка скоро закончится',
    'Un bloqueo termina pronto',
    '锁仓即将到期',
  ],
  lock_withdrawn: [
    'A lock was emptied',
    'Блокировка опустошена',
    'Se vació un bloqueo',
    '锁仓被取空',
  ],
  alert_withdrawn: [
    'Withdrawn by a reorganisation of the chain',
    'Отменено реорганизацией цепочки',
    'Anulado por una reorganización de la cadena',
    '因链重组而撤回',
  ],
  scam_detected: ['Scam', 'Мошенничество', 'Estafa', '骗局'],
  high_confidence_prediction: ['Clear verdict', 'Ясный вердикт', 'Veredicto claro', '结论明确'],
  'analysis.completed': ['Analysis completed', 'Анализ завершён', 'Análisis terminado', '分析完成'],
  'analysis.failed': ['Analysis failed', 'Анализ не удался', 'El análisis falló', '分析失败'],
  test: [
    'This is a test. Alerts will arrive here.',
    'Это проверка. Оповещения будут приходить сюда.',
    'Esto es una prueba. Los avisos llegarán aquí.',
    '这是一条测试消息。提醒将发送到这里。',
  ],

  // how serious it is
  critical: ['CRITICAL', 'КРИТИЧНО', 'CRÍTICO', '严重'],
  warning: ['WARNING', 'ВНИМАНИЕ', 'AVISO', '警告'],
  info: ['INFO', 'ИНФО', 'INFO', '信息'],

  // what to do, by `recommendation`
  SELL_IMMEDIATELY: [
    'Sell immediately.',
    'Продавайте немедленно.',
    'Venda de inmediato.',
    '立即卖出。',
  ],
  REDUCE_EXPOSURE: ['Hold less of it.', 'Сократите долю.', 'Reduzca su posición.', '减少持仓。'],
  AVOID: ['Do not buy.', 'Не покупайте.', 'No compre.', '不要买入。'],
  MONITOR: ['Keep watching it.', 'Продолжайте следить.', 'Siga vigilándolo.', '继续关注。'],
  NO_ACTION: [
    'Nothing has to be done.',
    'Ничего делать не нужно.',
    'No hace falta hacer nada.',
    '无需操作。',
  ],

  // digests
  digest: [
    'Alerts: {all:number} (critical {critical:number}, warning {warning:number}, info {info:number})',
    'Оповещения: {all:number} (критично {critical:number}, внимание {warning:number}, инфо {info:number})',
    'Avisos: {all:number} (crítico {critical:number}, aviso {warning:number}, info {info:number})',
    '提醒：{all:number} 条（严重 {critical:number}，警告 {warning:number}，信息 {info:number}）',
  ],
  more: [
    'More: {n:number}. {url}',
    'Ещё: {n:number}. {url}',
    'Más: {n:number}. {url}',
    '另有 {n:number} 条：{url}',
  ],

  // mails
  stop: [
    'Alerts are sent to this address because its owner confirmed it. Stop them: {url}',
    'Оповещения приходят на этот адрес, потому что его владелец подтвердил его. Отказаться: {url}',
    'Los avisos llegan a esta dirección porque su dueño la confirmó. Dejar de recibirlos: {url}',
    '此地址的所有者已确认接收提醒。停止接收：{url}',
  ],
  confirmSubject: [
    'Confirm alerts to this address',
    'Подтвердите получение оповещений',
    'Confirme los avisos a esta dirección',
    '请确认接收提醒',
  ],
  confirmText: [
    'Somebody asked for alerts about tokens to be sent to this address. To receive them, open this link within a day:\n\n{url}\n\nIf you did not ask for them, ignore this mail: without your click nothing is sent.\n',
    'Кто-то попросил присылать на этот адрес оповещения о токенах. Чтобы получать их, откройте эту ссылку в течение суток:\n\n{url}\n\nЕсли вы этого не просили, не обращайте внимания: без вашего подтверждения ничего не придёт.\n',
    'Alguien pidió que se envíen a esta dirección avisos sobre tokens. Para recibirlos, abra este enlace en el plazo de un día:\n\n{url}\n\nSi no los pidió, ignore este correo: sin su confirmación no se envía nada.\n',
    '有人请求将代币提醒发送到此地址。如需接收，请在一天内打开此链接：\n\n{url}\n\n如果不是您的请求，请忽略此邮件：未经您确认，不会发送任何内容。\n',
  ],
} as const satisfies Record<string, Texts>;
export type AlertPhrase = keyof typeof PHRASES;

/** Whether there is such a phrase: what a newer release of another role names is shown by its name. */
export const isAlertPhrase = (name: string): name is AlertPhrase => Object.hasOwn(PHRASES, name);

/** A phrase in a language. @throws Error where a placeholder has no value: a bug. */
export const alertPhrase = (
  language: Language,
  phrase: AlertPhrase,
  values: Readonly<Record<string, string | number>> = {},
): string => fillTemplate(textIn(PHRASES[phrase], language), values, language);
