import { type Language, type Texts, textIn } from '../../shared/sentences/language.ts';
import { fillTemplate } from '../../shared/sentences/writeSentence.ts';
import { ACCOUNT_PHRASES } from './accountPhrases.ts';
import { DETAIL_PHRASES } from './detailPhrases.ts';
import { FRONT_PHRASES } from './frontPhrases.ts';
import { NETWORK_PHRASES } from './networkPhrases.ts';
import { WATCH_PHRASES } from './watchPhrases.ts';

/** What pages say beside the sentences of reports, in English, Russian, Spanish and Chinese. */
export const PHRASES = {
  ...NETWORK_PHRASES,
  ...FRONT_PHRASES,
  ...DETAIL_PHRASES,
  ...ACCOUNT_PHRASES,
  ...WATCH_PHRASES,
  yes: ['Yes', 'Да', 'Sí', '是'],
  no: ['No', 'Нет', 'No', '否'],
  unknown: ['Not known', 'Неизвестно', 'No se sabe', '未知'],
  not_applicable: ['Does not apply', 'Не применимо', 'No procede', '不适用'],
  passed: ['{n} in order', '{n} в порядке', '{n} en orden', '{n} 项正常'],
  unanswered: ['{n} not known', '{n} неизвестно', '{n} sin respuesta', '{n} 项未知'],
  sure: ['How sure', 'Уверенность', 'Certeza', '确定程度'],
  clear: [
    '{share:percent}, clear',
    '{share:percent}, ясно',
    '{share:percent}, claro',
    '{share:percent}，明确',
  ],
  unclear: [
    '{share:percent}, unclear',
    '{share:percent}, неясно',
    '{share:percent}, no está claro',
    '{share:percent}，不明确',
  ],
  why: ['Why', 'Почему', 'Por qué', '原因'],
  notSeen: ['What was not seen', 'Что не удалось увидеть', 'Lo que no se vio', '未能查明'],
  allSeen: [
    'Every check could be answered.',
    'Удалось ответить на все вопросы.',
    'Se pudieron responder todas las preguntas.',
    '所有检查均有结果。',
  ],
  next: ['What to do next', 'Что делать дальше', 'Qué hacer ahora', '下一步'],
  nextAvoid: [
    'If you hold it, try to sell a little first, and never pay anyone to “unlock” it. Watch its creator: the next token may be the same.',
    'Если он у вас есть, сначала попробуйте продать немного и никому не платите за «разблокировку». Следите за создателем: следующий токен может быть таким же.',
    'Si lo tiene, pruebe primero a vender un poco y no pague a nadie por «desbloquearlo». Vigile a su creador: el próximo token puede ser igual.',
    '如已持有，请先尝试卖出少量，切勿付费给任何人“解锁”。请关注其创建者：下一个代币可能如出一辙。',
  ],
  nextWait: [
    'Wait until more is known: look again in a day, or watch it and be alerted when something changes.',
    'Подождите, пока станет известно больше: вернитесь через день или следите за токеном и получите оповещение.',
    'Espere a que se sepa más: vuelva mañana, o vigílelo y reciba un aviso cuando algo cambie.',
    '请等待更多信息：一天后再查，或关注它，有变化时会收到提醒。',
  ],
  nextNoFinding: [
    'Read below who can still change it, and risk only what you can lose. Watch it to be alerted when liquidity moves.',
    'Прочтите ниже, кто ещё может его изменить, и рискуйте только тем, что готовы потерять. Следите за ним, чтобы узнать о движении ликвидности.',
    'Lea abajo quién puede cambiarlo todavía y arriesgue solo lo que pueda perder. Vigílelo para enterarse cuando se mueva la liquidez.',
    '请在下方查看谁仍能更改它，只投入您能承受损失的金额。关注它，流动性变动时会收到提醒。',
  ],
  notGuarantee: [
    'An automatic estimate as of block {block}, no guarantee and no financial advice.',
    'Автоматическая оценка на момент блока {block}; не гарантия и не финансовый совет.',
    'Una estimación automática en el bloque {block}; no es garantía ni consejo financiero.',
    '截至区块 {block} 的自动评估，不构成保证或投资建议。',
  ],
  watch: ['Watch', 'Следить', 'Vigilar', '关注'],
  share: ['Copy link', 'Копировать ссылку', 'Copiar enlace', '复制链接'],
  dispute: ['This is wrong', 'Это ошибка', 'Esto es un error', '报告错误'],
  price: ['Price', 'Цена', 'Precio', '价格'],
  liquidity: ['Liquidity', 'Ликвидность', 'Liquidez', '流动性'],
  volume: ['Volume, 24 h', 'Объём за 24 ч', 'Volumen, 24 h', '24 小时成交量'],
  age: ['Age', 'Возраст', 'Antigüedad', '存在时间'],
  pairAge: ['Age of its market', 'Возраст рынка', 'Antigüedad del mercado', '市场存在时间'],
  holders: ['Holders', 'Держатели', 'Tenedores', '持有者'],
  topTen: ['Top 10 hold', 'У первых 10', 'Los 10 mayores', '前十占比'],
  madeBy: ['Made by', 'Создатель', 'Creado por', '创建者'],
  questions: ['Checks', 'Проверки', 'Comprobaciones', '检查'],
  evidence: ['Evidence', 'Доказательства', 'Pruebas', '证据'],
  weighed: [
    'What moved the verdict',
    'Что повлияло на вердикт',
    'Qué movió el veredicto',
    '影响结论的因素',
  ],
  strong: ['strong', 'сильный', 'fuerte', '强'],
  some: ['some', 'средний', 'medio', '中'],
  weak: ['weak', 'слабый', 'débil', '弱'],
  forScam: [
    '{strength} evidence for a scam',
    'довод за мошенничество: {strength}',
    'indicio de estafa: {strength}',
    '骗局证据：{strength}',
  ],
  againstScam: [
    '{strength} evidence against a scam',
    'довод против мошенничества: {strength}',
    'indicio en contra: {strength}',
    '反面证据：{strength}',
  ],
  wholeMarket: [
    'How its market behaves, all of it together',
    'Поведение рынка в целом',
    'El comportamiento del mercado en conjunto',
    '市场整体表现',
  ],
  wholeCode: [
    'What its code is made of, all of it together',
    'Состав кода в целом',
    'La composición del código en conjunto',
    '代码整体构成',
  ],
  experts: ['For experts', 'Для специалистов', 'Para expertos', '供专业人士参考'],
  logOdds: [
    'In log-odds; with the base of {base:number} they add up to {margin:number}. {share:percent} of what is looked at was observed.',
    'В логарифмах шансов; вместе с базой {base:number} они дают {margin:number}. Наблюдалось {share:percent} признаков.',
    'En log-odds; con la base de {base:number} suman {margin:number}. Se observó el {share:percent} de lo que se mira.',
    '以对数几率计；加上基数 {base:number} 合计为 {margin:number}。已观测 {share:percent} 的指标。',
  ],
  chart: ['Price and liquidity', 'Цена и ликвидность', 'Precio y liquidez', '价格与流动性'],
  otherTokens: [
    'Other tokens of the creator',
    'Другие токены создателя',
    'Otros tokens del creador',
    '创建者的其他代币',
  ],
  locks: ['Locks', 'Блокировки', 'Bloqueos', '锁仓'],
  network: ['Network', 'Связи', 'Red', '关系网络'],
  earlier: ['Earlier verdicts', 'Прежние вердикты', 'Veredictos anteriores', '历史结论'],
} as const satisfies Record<string, Texts>;
export type Phrase = keyof typeof PHRASES;

/** Says phrases in a language. @throws Error where a placeholder has no value: a bug. */
export const phrasesIn =
  (language: Language) =>
  (phrase: Phrase, values: Readonly<Record<string, string | number>> = {}): string =>
    fillTemplate(textIn(PHRASES[phrase], language), values, language);

/** The phrases whose names begin so, by the rest of their names, for a script of the page. */
export const wordsIn =
  (language: Language) =>
  (prefix: string): string =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(PHRASES)
          .filter(([name]) => name.startsWith(prefix))
          .map(([name, texts]) => [name.slice(prefix.length), textIn(texts, language)]),
      ),
    );
