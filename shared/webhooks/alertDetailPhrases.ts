import type { Texts } from '../sentences/language.ts';

/**
 * What the value of a detail is, and so how it is written. `change`: a share with its sign. `points`: a difference of two
 * shares. `duration`: seconds. `time`: Unix seconds. `score`: 0 to 100. `units`: raw units of a token. `word`: one of `DETAIL_WORDS`.
 * `transaction`, `contract`, `block` and `lock` say where to look something up.
 */
export type DetailKind =
  | 'share'
  | 'change'
  | 'points'
  | 'usd'
  | 'duration'
  | 'time'
  | 'number'
  | 'score'
  | 'units'
  | 'word'
  | 'address'
  | 'ring'
  | 'contract'
  | 'transaction'
  | 'block'
  | 'lock';

interface DetailPhrase {
  readonly kind: DetailKind;
  readonly texts: Texts;
}

/** What each detail of an alert is called: English, Russian, Spanish, Chinese. In the order in which people read them. */
export const DETAIL_PHRASES = {
  // rings: what happened
  activity: {
    kind: 'word',
    texts: ['What the ring did', 'Что сделала группа', 'Qué hizo la red', '团伙动态'],
  },

  // pools
  liquidity_change: {
    kind: 'change',
    texts: [
      'Change of the liquidity',
      'Изменение ликвидности',
      'Cambio de la liquidez',
      '流动性变化',
    ],
  },
  price_change: {
    kind: 'change',
    texts: ['Change of the price', 'Изменение цены', 'Cambio del precio', '价格变化'],
  },
  window_seconds: {
    kind: 'duration',
    texts: ['Within', 'За время', 'En el plazo de', '时间范围'],
  },
  sold_usd: {
    kind: 'usd',
    texts: ['Sold for', 'Продано на сумму', 'Vendido por', '卖出金额'],
  },
  pool_share: {
    kind: 'share',
    texts: [
      'Share of the pool paid for it',
      'Доля пула, ушедшая на оплату',
      'Parte del pool que se pagó',
      '所付占资金池比例',
    ],
  },
  liquidity_before_usd: {
    kind: 'usd',
    texts: ['Liquidity before', 'Ликвидность до этого', 'Liquidez antes', '此前流动性'],
  },
  liquidity_after_usd: {
    kind: 'usd',
    texts: ['Liquidity after', 'Ликвидность после', 'Liquidez después', '此后流动性'],
  },
  liquidity_usd: {
    kind: 'usd',
    texts: ['Liquidity', 'Ликвидность', 'Liquidez', '流动性'],
  },
  cause: {
    kind: 'word',
    texts: ['What happened', 'Что произошло', 'Qué ocurrió', '发生了什么'],
  },
  creator_sold_usd: {
    kind: 'usd',
    texts: ['Paid out to the creator', 'Выплачено создателю', 'Pagado al creador', '付给创建者'],
  },
  seller: { kind: 'address', texts: ['Seller', 'Продавец', 'Vendedor', '卖家'] },

  // tokens
  minted_share: {
    kind: 'share',
    texts: [
      'New tokens, as a share of the supply',
      'Новые токены, доля от общего количества',
      'Tokens nuevos, como parte de la oferta',
      '新增代币占供应量',
    ],
  },
  recipients: {
    kind: 'number',
    texts: ['Number of recipients', 'Число получателей', 'Número de receptores', '接收者数量'],
  },
  recipient: {
    kind: 'address',
    texts: ['First recipient', 'Первый получатель', 'Primer receptor', '首个接收者'],
  },
  minted: {
    kind: 'units',
    texts: [
      'New tokens, in the smallest unit',
      'Новые токены, в наименьших единицах',
      'Tokens nuevos, en la unidad mínima',
      '新增代币（最小单位）',
    ],
  },
  creator: { kind: 'address', texts: ['Creator', 'Создатель', 'Creador', '创建者'] },
  renounced: {
    kind: 'word',
    texts: ['Ownership given up', 'Отказ от владения', 'Renuncia a la propiedad', '放弃所有权'],
  },
  new_owner: {
    kind: 'address',
    texts: ['Owner now', 'Новый владелец', 'Propietario actual', '现所有者'],
  },
  previous_owner: {
    kind: 'address',
    texts: ['Owner before', 'Прежний владелец', 'Propietario anterior', '原所有者'],
  },
  previous_tax: {
    kind: 'share',
    texts: [
      'Tax of a trade before',
      'Прежний налог на сделку',
      'Impuesto anterior por operación',
      '此前交易税',
    ],
  },
  new_tax: {
    kind: 'share',
    texts: [
      'Tax of a trade now',
      'Налог на сделку теперь',
      'Impuesto actual por operación',
      '当前交易税',
    ],
  },
  tax_change: {
    kind: 'points',
    texts: ['Change of the tax', 'Изменение налога', 'Cambio del impuesto', '税率变化'],
  },
  previous_prediction: {
    kind: 'word',
    texts: ['Verdict before', 'Прежний вердикт', 'Veredicto anterior', '此前结论'],
  },
  new_prediction: {
    kind: 'word',
    texts: ['Verdict now', 'Вердикт теперь', 'Veredicto actual', '当前结论'],
  },
  confidence: {
    kind: 'share',
    texts: ['Confidence', 'Уверенность', 'Confianza', '置信度'],
  },
  certainty: { kind: 'word', texts: ['Certainty', 'Ясность', 'Certeza', '确定程度'] },
  advice: { kind: 'word', texts: ['Advice', 'Совет', 'Consejo', '建议'] },

  // locks
  locked: {
    kind: 'word',
    texts: ['What is locked', 'Что заблокировано', 'Qué está bloqueado', '锁定内容'],
  },
  locked_share: {
    kind: 'share',
    texts: [
      'Locked share of the liquidity or the supply',
      'Заблокированная доля ликвидности или токенов',
      'Parte bloqueada de la liquidez o de la oferta',
      '锁定占流动性或供应量比例',
    ],
  },
  before_time: {
    kind: 'word',
    texts: ['Before its time', 'Раньше срока', 'Antes de tiempo', '早于到期时间'],
  },
  seconds_left: {
    kind: 'duration',
    texts: ['Time left', 'Осталось', 'Tiempo restante', '剩余时间'],
  },
  unlock_at: {
    kind: 'time',
    texts: ['Locked until', 'Заблокировано до', 'Bloqueado hasta', '锁定至'],
  },
  logged: {
    kind: 'word',
    texts: [
      'Reported by the locker',
      'Записано контрактом блокировки',
      'Registrado por el contrato de bloqueo',
      '锁仓合约有记录',
    ],
  },
  owner: {
    kind: 'address',
    texts: ['Owner of the lock', 'Владелец блокировки', 'Dueño del bloqueo', '锁仓所有者'],
  },

  // rings: which and how large
  wallet: { kind: 'address', texts: ['Wallet', 'Кошелёк', 'Cartera', '钱包'] },
  joined: {
    kind: 'word',
    texts: [
      'The wallet joined just now',
      'Кошелёк вошёл только что',
      'La cartera acaba de entrar',
      '该钱包刚刚加入',
    ],
  },
  risk_score: { kind: 'score', texts: ['Risk', 'Риск', 'Riesgo', '风险'] },
  size: {
    kind: 'number',
    texts: ['Wallets in the ring', 'Кошельков в группе', 'Carteras de la red', '团伙钱包数量'],
  },
  wallets_joined: {
    kind: 'number',
    texts: ['Wallets that joined', 'Вошло кошельков', 'Carteras que entraron', '新加入钱包'],
  },
  wallets_left: {
    kind: 'number',
    texts: ['Wallets that left', 'Вышло кошельков', 'Carteras que salieron', '离开的钱包'],
  },
  cluster_id: { kind: 'ring', texts: ['Ring', 'Группа', 'Red', '团伙'] },

  // look-alikes
  look_alike: {
    kind: 'address',
    texts: ['Look-alike', 'Похожий адрес', 'Dirección imitadora', '仿冒地址'],
  },
  counterparty: {
    kind: 'address',
    texts: ['Address it imitates', 'Настоящий адрес', 'Dirección imitada', '被仿冒的地址'],
  },
  counterparty_last_seen: {
    kind: 'time',
    texts: [
      'Last transfer with the address it imitates',
      'Последний перевод с настоящим адресом',
      'Última transferencia con la dirección imitada',
      '与被仿冒地址的最近转账',
    ],
  },
  direction: { kind: 'word', texts: ['Direction', 'Направление', 'Sentido', '方向'] },
  moved: {
    kind: 'word',
    texts: ['What was transferred', 'Что переведено', 'Qué se transfirió', '转账内容'],
  },
  value: {
    kind: 'units',
    texts: [
      'Amount, in the smallest unit',
      'Сумма, в наименьших единицах',
      'Importe, en la unidad mínima',
      '数量（最小单位）',
    ],
  },

  // where to look it up
  locker: {
    kind: 'contract',
    texts: ['Locker', 'Контракт блокировки', 'Contrato de bloqueo', '锁仓合约'],
  },
  lock: {
    kind: 'lock',
    texts: ['Number of the lock', 'Номер блокировки', 'Número del bloqueo', '锁仓编号'],
  },
  pool: { kind: 'contract', texts: ['Pool', 'Пул', 'Pool', '资金池'] },
  tx_hash: {
    kind: 'transaction',
    texts: ['Transaction', 'Транзакция', 'Transacción', '交易'],
  },
  block_number: { kind: 'block', texts: ['Block', 'Блок', 'Bloque', '区块'] },
} as const satisfies Readonly<Record<string, DetailPhrase>>;

/** Details that an alert can have. */
export type AlertDetail = keyof typeof DETAIL_PHRASES;

/** What a value that is a word is called, by the name it has in the API. */
export const DETAIL_WORDS = {
  true: ['yes', 'да', 'sí', '是'],
  false: ['no', 'нет', 'no', '否'],
  // cause
  burn: ['liquidity was withdrawn', 'ликвидность выведена', 'se retiró liquidez', '流动性被撤出'],
  swap: ['tokens were sold', 'токены проданы', 'se vendieron tokens', '代币被卖出'],
  mint: [
    'it was gone when liquidity was added',
    'ушла ещё до пополнения',
    'ya no estaba cuando se añadió liquidez',
    '注入流动性前已流失',
  ],
  sync: [
    'it left without a trade or a withdrawal',
    'ушла без сделки и без вывода',
    'salió sin operación ni retirada',
    '未经交易或撤出而流失',
  ],
  // previous_prediction, new_prediction
  SCAM: ['scam', 'мошенничество', 'estafa', '骗局'],
  LEGIT: ['no scam', 'не мошенничество', 'no es una estafa', '不是骗局'],
  // certainty
  clear: ['clear', 'ясно', 'claro', '明确'],
  unclear: ['unclear', 'неясно', 'no está claro', '不明确'],
  // advice
  avoid: ['do not buy', 'не покупать', 'no comprar', '不要买入'],
  wait: ['wait', 'подождать', 'esperar', '等待'],
  no_finding: [
    'nothing was found against it',
    'против него ничего не найдено',
    'no se encontró nada en contra',
    '未发现不利情况',
  ],
  // locked
  liquidity: ['liquidity', 'ликвидность', 'liquidez', '流动性'],
  position: [
    'a position of liquidity',
    'позиция ликвидности',
    'una posición de liquidez',
    '流动性头寸',
  ],
  supply: [
    'tokens of the supply',
    'часть выпущенных токенов',
    'tokens de la oferta',
    '部分代币供应',
  ],
  // activity
  created: ['it was found', 'группа обнаружена', 'fue descubierta', '被发现'],
  changed: ['its wallets changed', 'изменился её состав', 'cambiaron sus carteras', '成员变化'],
  merged: [
    'it merged with another ring',
    'объединилась с другой группой',
    'se unió a otra red',
    '与另一团伙合并',
  ],
  split: ['it split', 'разделилась', 'se dividió', '发生拆分'],
  removed: ['it dissolved', 'распалась', 'se disolvió', '已解散'],
  new_token: [
    'one of its wallets made a token',
    'один из её кошельков создал токен',
    'una de sus carteras creó un token',
    '其钱包创建了代币',
  ],
  rug_pull: [
    'one of its wallets drained a pool',
    'один из её кошельков опустошил пул',
    'una de sus carteras vació un pool',
    '其钱包抽空了资金池',
  ],
  // direction
  in: [
    'to the watched wallet',
    'на наблюдаемый кошелёк',
    'a la cartera vigilada',
    '转入所关注的钱包',
  ],
  out: [
    'from the watched wallet',
    'с наблюдаемого кошелька',
    'desde la cartera vigilada',
    '转出自所关注的钱包',
  ],
  // moved
  nothing: ['nothing', 'ничего', 'nada', '无'],
  dust: ['less than a dollar', 'меньше доллара', 'menos de un dólar', '不足一美元'],
  false_token: ['a false token', 'поддельный токен', 'un token falso', '假代币'],
} as const satisfies Readonly<Record<string, Texts>>;

/** What is said around values. */
export const VALUE_PHRASES = {
  unknown: ['not known', 'неизвестно', 'no se sabe', '未知'],
  points: ['{n} percentage points', '{n} п. п.', '{n} puntos porcentuales', '{n} 个百分点'],
  score: ['{n} of 100', '{n} из 100', '{n} de 100', '{n}/100'],
  nobody: ['nobody', 'никто', 'nadie', '无人'],
  fact: ['{label}: {text}', '{label}: {text}', '{label}: {text}', '{label}：{text}'],
} as const satisfies Readonly<Record<string, Texts>>;
