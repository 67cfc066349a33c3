import type { Language } from '../../shared/sentences/language.ts';

type Label = Readonly<Record<Language, string>>;

/** What features and checks are called; those without a name here are shown by their id. */
const LABELS: Readonly<Record<string, Label>> = {
  holder_count: { en: 'Holders', ru: 'Держатели', es: 'Tenedores', zh: '持有者数量' },
  transaction_count: { en: 'Transactions', ru: 'Транзакции', es: 'Transacciones', zh: '交易数量' },
  liquidity_usd: {
    en: 'Liquidity in US dollars',
    ru: 'Ликвидность в долларах США',
    es: 'Liquidez en dólares',
    zh: '流动性（美元）',
  },
  top_10_concentration: {
    en: 'Share of the ten largest holders',
    ru: 'Доля десяти крупнейших держателей',
    es: 'Parte de los diez mayores tenedores',
    zh: '前十大持有者占比',
  },
  creator_risk_score: {
    en: 'Risk score of the creator',
    ru: 'Оценка риска создателя',
    es: 'Riesgo del creador',
    zh: '创建者风险评分',
  },
  ageS: {
    en: 'Age of the pool in seconds',
    ru: 'Возраст пула в секундах',
    es: 'Edad del fondo en segundos',
    zh: '资金池存续时间（秒）',
  },
  lp_locked_share: {
    en: 'Share of the liquidity in locks that were tried',
    ru: 'Доля ликвидности в проверенных блокировках',
    es: 'Parte de la liquidez en bloqueos comprobados',
    zh: '经验证锁仓中的流动性占比',
  },
  lp_unlock_at: {
    en: 'End of the first lock of liquidity',
    ru: 'Окончание первой блокировки ликвидности',
    es: 'Fin del primer bloqueo de liquidez',
    zh: '首个流动性锁仓到期时间',
  },
  supply_locked_share: {
    en: 'Share of the supply in locks that were tried',
    ru: 'Доля выпуска в проверенных блокировках',
    es: 'Parte del suministro en bloqueos comprobados',
    zh: '经验证锁仓中的供应占比',
  },
  lpLockedShare: {
    en: 'Share of locked liquidity',
    ru: 'Доля заблокированной ликвидности',
    es: 'Parte de la liquidez bloqueada',
    zh: '锁定流动性占比',
  },
  lpBurnedShare: {
    en: 'Share of burned liquidity',
    ru: 'Доля сожжённой ликвидности',
    es: 'Parte de la liquidez quemada',
    zh: '销毁流动性占比',
  },
  lpPullableShare: {
    en: 'Share of liquidity that can be pulled',
    ru: 'Доля ликвидности, которую можно вывести',
    es: 'Parte de la liquidez que se puede retirar',
    zh: '可撤出流动性占比',
  },
  creatorPools: {
    en: 'Pools made by the creator',
    ru: 'Пулы создателя',
    es: 'Fondos del creador',
    zh: '创建者的资金池数量',
  },
  creatorDrainedShare: {
    en: 'Share of the creator’s pools that were drained',
    ru: 'Доля опустошённых пулов создателя',
    es: 'Parte de los fondos del creador que se vaciaron',
    zh: '创建者资金池被抽空的占比',
  },
  buyCount: { en: 'Purchases', ru: 'Покупки', es: 'Compras', zh: '买入次数' },
  sellCount: { en: 'Sales', ru: 'Продажи', es: 'Ventas', zh: '卖出次数' },
  age: {
    en: 'What is usual at its age',
    ru: 'Обычное для такого возраста',
    es: 'Lo habitual a su edad',
    zh: '同龄代币的通常水平',
  },
  proof: {
    en: 'Proof that buying loses money',
    ru: 'Доказано, что покупка приводит к потере денег',
    es: 'Prueba de que comprar hace perder dinero',
    zh: '已证实买入会亏损',
  },
  no_accusation: {
    en: 'No check accuses the token',
    ru: 'Ни одна проверка не обвиняет токен',
    es: 'Ninguna comprobación acusa al token',
    zh: '没有检查项指控该代币',
  },
  untried: {
    en: 'No sale could be tried',
    ru: 'Продажу не удалось испытать',
    es: 'No se pudo probar ninguna venta',
    zh: '未能试验卖出',
  },
  sell_simulation: {
    en: 'Simulated sale',
    ru: 'Пробная продажа',
    es: 'Venta simulada',
    zh: '模拟卖出',
  },
  trading_closed: {
    en: 'Purchases possible',
    ru: 'Покупка возможна',
    es: 'Compras posibles',
    zh: '可以买入',
  },
  listed: {
    en: 'Established token',
    ru: 'Известный токен',
    es: 'Token consolidado',
    zh: '知名代币',
  },
  sell_later: {
    en: 'Simulated sale some blocks later',
    ru: 'Пробная продажа через несколько блоков',
    es: 'Venta simulada unos bloques después',
    zh: '数个区块后的模拟卖出',
  },
  trade_tax: {
    en: 'Tax on trades',
    ru: 'Налог на сделки',
    es: 'Impuesto sobre operaciones',
    zh: '交易税',
  },
  transfer_tax: {
    en: 'Tax on transfers',
    ru: 'Налог на переводы',
    es: 'Impuesto sobre transferencias',
    zh: '转账税',
  },
  trade_limits: {
    en: 'Limits of trades',
    ru: 'Ограничения сделок',
    es: 'Límites de operaciones',
    zh: '交易限额',
  },
  tokens_delivered: {
    en: 'Delivery of bought tokens',
    ru: 'Получение купленных токенов',
    es: 'Entrega de los tokens comprados',
    zh: '买入代币到账',
  },
  sale_gas: {
    en: 'Gas of a sale',
    ru: 'Газ при продаже',
    es: 'Gas de una venta',
    zh: '卖出所耗燃料',
  },
  hook_power: {
    en: 'Power of the pool’s hook',
    ru: 'Полномочия хука пула',
    es: 'Poder del hook del pool',
    zh: '资金池钩子合约的权限',
  },
  hook_tax: {
    en: 'Take of the pool’s hook',
    ru: 'Удержания хука пула',
    es: 'Retención del hook del pool',
    zh: '资金池钩子合约的截留',
  },
  liquidity_drained: {
    en: 'Drained liquidity',
    ru: 'Вывод ликвидности',
    es: 'Liquidez vaciada',
    zh: '流动性被抽空',
  },
  fake_lock: {
    en: 'Fake lock',
    ru: 'Ложная блокировка',
    es: 'Bloqueo falso',
    zh: '虚假锁仓',
  },
  market_pattern: {
    en: 'Pattern of the market',
    ru: 'Характер рынка',
    es: 'Patrón del mercado',
    zh: '市场形态',
  },
  holder_concentration: {
    en: 'Concentration of holders',
    ru: 'Концентрация держателей',
    es: 'Concentración de tenedores',
    zh: '持有集中度',
  },
  hidden_owner: {
    en: 'Hidden owner',
    ru: 'Скрытый владелец',
    es: 'Propietario oculto',
    zh: '隐藏所有者',
  },
  owner_renounced: {
    en: 'Renounced ownership',
    ru: 'Отказ от владения',
    es: 'Renuncia a la propiedad',
    zh: '放弃所有权',
  },
  mint_power: {
    en: 'Power to make new tokens',
    ru: 'Возможность выпускать новые токены',
    es: 'Poder de acuñar',
    zh: '增发权限',
  },
  confiscation_power: {
    en: 'Power to take tokens',
    ru: 'Возможность изымать токены',
    es: 'Poder de confiscar',
    zh: '没收权限',
  },
  pause_power: {
    en: 'Power to pause transfers',
    ru: 'Возможность остановить переводы',
    es: 'Poder de pausar',
    zh: '暂停转账权限',
  },
  blacklist_power: {
    en: 'Power to block holders',
    ru: 'Возможность блокировать держателей',
    es: 'Poder de bloquear tenedores',
    zh: '黑名单权限',
  },
  freeze_power: {
    en: 'Power to freeze wallets',
    ru: 'Возможность замораживать кошельки',
    es: 'Poder de congelar',
    zh: '冻结权限',
  },
  fee_power: {
    en: 'Power to change fees',
    ru: 'Возможность менять комиссии',
    es: 'Poder de cambiar comisiones',
    zh: '调整费用权限',
  },
  trading_gate: {
    en: 'Power to open and close trading',
    ru: 'Возможность открывать и закрывать торги',
    es: 'Poder de abrir y cerrar el comercio',
    zh: '开关交易权限',
  },
  transfer_limits: {
    en: 'Limits on transfers',
    ru: 'Ограничения переводов',
    es: 'Límites de transferencias',
    zh: '转账限制',
  },
  known_scam_code: {
    en: 'Code of known scams',
    ru: 'Код известных мошенничеств',
    es: 'Código de estafas conocidas',
    zh: '已知骗局代码',
  },
  look_alike: {
    en: 'Name of a well-known token',
    ru: 'Имя известного токена',
    es: 'Nombre de un token conocido',
    zh: '仿冒知名代币名称',
  },
  sent_unasked: {
    en: 'Sent to many who did not ask',
    ru: 'Разослан многим без запроса',
    es: 'Enviado a muchos sin pedirlo',
    zh: '未经请求群发',
  },
  name_spam: {
    en: 'Name of spam',
    ru: 'Название спама',
    es: 'Nombre de spam',
    zh: '垃圾代币名称',
  },
  self_destruct: {
    en: 'Self-destruction',
    ru: 'Самоуничтожение',
    es: 'Autodestrucción',
    zh: '自毁',
  },
  delegatecall: { en: 'Foreign code', ru: 'Чужой код', es: 'Código ajeno', zh: '外部代码' },
  proxy: {
    en: 'Replaceable code',
    ru: 'Заменяемый код',
    es: 'Código reemplazable',
    zh: '可替换代码',
  },
  erc20_surface: {
    en: 'Functions of a token',
    ru: 'Функции токена',
    es: 'Funciones de token',
    zh: '代币函数',
  },
};

/** The name of a feature or check; `check:` and the like before an id do not matter. */
export const labelOf = (id: string, language: Language): string => {
  const name = id.slice(id.indexOf(':') + 1);
  return LABELS[name]?.[language] ?? name.replaceAll('_', ' ');
};
