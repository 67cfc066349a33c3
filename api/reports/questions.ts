import type { Texts } from '../../shared/sentences/language.ts';

/** What checks are about, in the order in which a buyer asks. */
export const TOPICS = {
  selling: ['Buying and selling', 'Покупка и продажа', 'Comprar y vender', '买入与卖出'],
  powers: ['Powers of the owner', 'Полномочия владельца', 'Poderes del propietario', '所有者权限'],
  liquidity: [
    'Liquidity and locks',
    'Ликвидность и блокировки',
    'Liquidez y bloqueos',
    '流动性与锁仓',
  ],
  holders: ['Holders', 'Держатели', 'Tenedores', '持有者'],
  creator: ['Creator and ring', 'Создатель и группа', 'Creador y red', '创建者与团伙'],
  name: ['Name', 'Название', 'Nombre', '名称'],
} as const satisfies Record<string, Texts>;
export type Topic = keyof typeof TOPICS;

/** A check as a question with yes or no for an answer. */
export interface Question {
  readonly topic: Topic;
  /** The answer where the check passed. */
  readonly whenPassed: 'yes' | 'no';
  readonly text: Texts;
}

const question = (topic: Topic, whenPassed: Question['whenPassed'], text: Texts): Question => ({
  topic,
  whenPassed,
  text,
});

/** The question that each check answers, by its id; those of a topic in the order in which they are shown. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  trading_closed: question('selling', 'yes', [
    'Can you buy it now?',
    'Можно ли купить его сейчас?',
    '¿Se puede comprar ahora?',
    '现在能买入吗？',
  ]),
  tokens_delivered: question('selling', 'yes', [
    'Do you get what you pay for?',
    'Получите ли вы то, за что платите?',
    '¿Recibe lo que paga?',
    '付款后能收到代币吗？',
  ]),
  sell_simulation: question('selling', 'yes', [
    'Can you sell it?',
    'Можно ли его продать?',
    '¿Se puede vender?',
    '能卖出吗？',
  ]),
  sell_later: question('selling', 'yes', [
    'Can you still sell it a day later?',
    'Можно ли продать его через день?',
    '¿Se puede vender un día después?',
    '一天后还能卖出吗？',
  ]),
  trade_tax: question('selling', 'no', [
    'Does trading it cost a lot?',
    'Дорого ли обходится сделка?',
    '¿Cuesta mucho operar con él?',
    '交易成本高吗？',
  ]),
  transfer_tax: question('selling', 'no', [
    'Does sending it cost a lot?',
    'Дорого ли обходится перевод?',
    '¿Cuesta mucho enviarlo?',
    '转账成本高吗？',
  ]),
  hook_tax: question('selling', 'no', [
    'Does the pool’s hook keep a part of trades?',
    'Удерживает ли хук пула часть сделок?',
    '¿El hook del pool se queda con parte de las operaciones?',
    '资金池钩子合约会截留交易吗？',
  ]),
  pool_fee: question('selling', 'no', [
    'Is the fee of the pool high?',
    'Высока ли комиссия пула?',
    '¿Es alta la comisión del pool?',
    '资金池手续费高吗？',
  ]),
  trade_limits: question('selling', 'no', [
    'Are trades limited?',
    'Ограничены ли сделки?',
    '¿Hay límites a las operaciones?',
    '交易有限额吗？',
  ]),
  sale_gas: question('selling', 'no', [
    'Does a sale burn unusually much gas?',
    'Сжигает ли продажа необычно много газа?',
    '¿Una venta consume demasiado gas?',
    '卖出消耗的燃料异常多吗？',
  ]),

  mint_power: question('powers', 'no', [
    'Can the owner make new tokens?',
    'Может ли владелец выпускать новые токены?',
    '¿Puede el propietario crear tokens nuevos?',
    '所有者能增发代币吗？',
  ]),
  confiscation_power: question('powers', 'no', [
    'Can somebody take tokens out of your wallet?',
    'Может ли кто-то забрать токены из вашего кошелька?',
    '¿Puede alguien sacar tokens de su cartera?',
    '有人能从您的钱包取走代币吗？',
  ]),
  blacklist_power: question('powers', 'no', [
    'Can you be kept from selling?',
    'Могут ли запретить вам продажу?',
    '¿Le pueden impedir vender?',
    '您会被禁止卖出吗？',
  ]),
  freeze_power: question('powers', 'no', [
    'Can sales be stopped?',
    'Можно ли остановить продажи?',
    '¿Se pueden detener las ventas?',
    '卖出会被冻结吗？',
  ]),
  pause_power: question('powers', 'no', [
    'Can all transfers be paused?',
    'Можно ли остановить все переводы?',
    '¿Se pueden pausar todas las transferencias?',
    '所有转账会被暂停吗？',
  ]),
  trading_gate: question('powers', 'no', [
    'Can the market be closed?',
    'Можно ли закрыть рынок?',
    '¿Se puede cerrar el mercado?',
    '市场会被关闭吗？',
  ]),
  transfer_limits: question('powers', 'no', [
    'Can sales be limited to nothing?',
    'Можно ли свести продажи к нулю?',
    '¿Se pueden limitar las ventas a nada?',
    '卖出额度会被限制为零吗？',
  ]),
  fee_power: question('powers', 'no', [
    'Can most of a sale be kept from you?',
    'Могут ли удержать большую часть продажи?',
    '¿Se pueden quedar con casi toda una venta?',
    '卖出所得会被大部分截留吗？',
  ]),
  hook_power: question('powers', 'no', [
    'Can the pool’s hook be turned against you?',
    'Может ли хук пула обернуться против вас?',
    '¿Puede el hook del pool volverse en su contra?',
    '资金池钩子合约能对您不利吗？',
  ]),
  hidden_owner: question('powers', 'no', [
    'Does somebody rule it in secret?',
    'Управляет ли им кто-то тайно?',
    '¿Lo controla alguien en secreto?',
    '有人在暗中控制吗？',
  ]),
  owner_renounced: question('powers', 'yes', [
    'Is the ownership given up?',
    'Отказались ли от владения?',
    '¿Se renunció a la propiedad?',
    '所有权已放弃吗？',
  ]),
  proxy: question('powers', 'no', [
    'Can the code be replaced?',
    'Можно ли заменить код?',
    '¿Se puede reemplazar el código?',
    '代码能被替换吗？',
  ]),
  delegatecall: question('powers', 'no', [
    'Does it run foreign code?',
    'Выполняет ли он чужой код?',
    '¿Ejecuta código ajeno?',
    '会运行外部代码吗？',
  ]),
  self_destruct: question('powers', 'no', [
    'Can it destroy itself?',
    'Может ли он уничтожить себя?',
    '¿Puede autodestruirse?',
    '能自毁吗？',
  ]),

  liquidity_drained: question('liquidity', 'no', [
    'Was the liquidity taken out?',
    'Выведена ли ликвидность?',
    '¿Se retiró la liquidez?',
    '流动性被抽走了吗？',
  ]),
  fake_lock: question('liquidity', 'no', [
    'Is a lock of it fake?',
    'Есть ли ложная блокировка?',
    '¿Hay algún bloqueo falso?',
    '有虚假锁仓吗？',
  ]),
  market_pattern: question('liquidity', 'no', [
    'Does it trade like tokens that were drained?',
    'Торгуется ли он как опустошённые токены?',
    '¿Se negocia como los tokens que se vaciaron?',
    '交易形态像被抽空的代币吗？',
  ]),

  holder_concentration: question('holders', 'no', [
    'Do few wallets hold most of it?',
    'Сосредоточен ли он в немногих кошельках?',
    '¿Pocas carteras tienen casi todo?',
    '是否集中在少数钱包？',
  ]),
  launch_snipe: question('holders', 'no', [
    'Was it bought up as the market opened?',
    'Скупили ли его при открытии рынка?',
    '¿Lo acapararon al abrir el mercado?',
    '开盘时被抢购了吗？',
  ]),
  sent_unasked: question('holders', 'no', [
    'Was it sent to many who did not ask?',
    'Разослан ли он многим без запроса?',
    '¿Se envió a muchos que no lo pidieron?',
    '是否未经请求群发？',
  ]),

  known_scam_code: question('creator', 'no', [
    'Is its code that of a known scam?',
    'Совпадает ли код с известным мошенничеством?',
    '¿Su código es el de una estafa conocida?',
    '代码与已知骗局相同吗？',
  ]),

  look_alike: question('name', 'no', [
    'Does it pose as a known token?',
    'Выдаёт ли он себя за известный токен?',
    '¿Se hace pasar por un token conocido?',
    '是否冒充知名代币？',
  ]),
  name_spam: question('name', 'no', [
    'Is it named like spam?',
    'Похоже ли название на спам?',
    '¿Su nombre parece spam?',
    '名称像垃圾代币吗？',
  ]),
  listed: question('name', 'yes', [
    'Is it an established token?',
    'Это известный токен?',
    '¿Es un token consolidado?',
    '是知名代币吗？',
  ]),
  erc20_surface: question('name', 'yes', [
    'Does it have all functions of a token?',
    'Есть ли у него все функции токена?',
    '¿Tiene todas las funciones de un token?',
    '具备代币的全部函数吗？',
  ]),
};

/** Of the creator himself, which no check asks. */
export const CREATOR_QUESTIONS = {
  record: [
    'Did the creator make scams before?',
    'Создавал ли создатель мошеннические токены раньше?',
    '¿El creador hizo estafas antes?',
    '创建者以前制造过骗局吗？',
  ],
  ring: [
    'Does the creator belong to a ring?',
    'Входит ли создатель в группу?',
    '¿El creador pertenece a una red?',
    '创建者属于团伙吗？',
  ],
} as const satisfies Record<string, Texts>;
