import type { SentenceCode } from './sentence.ts';

/** Sentences of checks and of their evidence in Russian. */
export const ru: Readonly<Record<SentenceCode, string>> = {
  verbatim: '{text}',

  // advice
  avoid: 'Не покупайте.',
  avoidUnclear: 'Не покупайте: многое указывает на мошенничество, но не всё достоверно.',
  wait: 'Подождите: ясного слишком мало, чтобы считать токен безопасным.',
  noFinding: 'Против токена ничего не найдено. Это не гарантия.',

  contractUnread: 'Не удалось прочитать контракт.',
  noPoolToTrade: 'У токена нет пула, в котором можно торговать.',
  behindHead: 'Сделки моделируются только на последнем блоке сети.',
  curveBuyFails:
    'Покупка с кривой за нативную монету: {why:sentence}; возможно, она торгуется к другому токену.',
  curveRefuses: 'Покупка с кривой: {why:sentence}.',
  curveEmpty: 'Кривая ещё ничего не собрала, на чём можно было бы проверить сделку.',
  marketNotCovered:
    'Торгуется на {protocol}, чего модель рынков никогда не видела: вердикт опирается на контракт, блокировки, создателя и сделки.',
  nothingSniped: 'В блоке открытия рынка токены не покупали.',
  sniped:
    'В блоке {block}, где открылся рынок, куплено {share:percent} всех токенов, из них создателем {own:percent}; сейчас у него {holds:percent}.',
  snipedHere: 'крупнейшая покупка этого блока',
  otherBase: 'Моделируются только сделки к обёрнутой нативной монете.',
  nodeCannotSimulate: 'Узел не поддерживает ни eth_simulateV1, ни вызовы с подменой состояния.',
  nodeRefusesProbe: 'Узел отклоняет eth_simulateV1.',
  nodeWithoutHead: 'Узел не сообщает свой последний блок.',
  nodeSilent: 'Узел сейчас не отвечает на запросы моделирования.',
  answerTooLarge: 'Ответ узла на запрос моделирования слишком велик.',
  answerUnreadable: 'Ответ узла на запрос моделирования не удалось разобрать.',
  simulationRefused: 'Узел отклоняет моделирование (ошибка {code}).',
  simulationEndless: 'Моделирование не завершилось.',
  balanceMoved: 'Смоделированный баланс меняется от одного моделирования к другому.',
  balanceNotReported: 'Токен не сообщает баланс покупателя.',
  poolTooSmall: 'Пул слишком мал, чтобы сделка что-либо показала.',
  nothingBought: 'Не удалось ничего купить для проверки.',
  noTrade: 'Не удалось смоделировать сделку.',
  noTransfer: 'Не удалось смоделировать перевод.',

  revertsSilently: 'вызов откатывается без указания причины',
  revertsOverlong: 'вызов откатывается со слишком длинными данными',
  revertsUnreadably: 'вызов откатывается с нечитаемой причиной',
  revertsWith: 'вызов откатывается с сообщением «{text}»',
  revertsCustom: 'вызов откатывается с пользовательской ошибкой {selector}',
  panics: 'вызов аварийно завершается с кодом {code}',
  deliversNothing: 'токены не поступают',
  earnsNothing: 'продажа ничего не приносит',
  hookReverts: 'хук пула отклоняет сделку: {why:sentence}',
  byTransfer: 'при переводе в пул {why:sentence}',
  byRouter: 'при продаже через роутер {why:sentence}',

  noPool: 'У токена нет пула Uniswap V2.',
  poolHolds: 'В основном пуле осталось {share:percent} от его наибольшего резерва.',
  poolLost: 'Основной пул потерял {share:percent} от своего наибольшего резерва.',
  noPoolForModel: 'У токена нет пула Uniswap V2, а других модель рынков не знает.',
  drainedMoreOften:
    'Из пулов с похожей торговлей в течение недели было опустошено {share:percent}: это выше обычных шансов для такого возраста (кратность: {times:number}).',
  drainedLessOften:
    'Из пулов с похожей торговлей в течение недели было опустошено {share:percent}: это ниже обычных шансов для такого возраста (кратность: {times:number}).',

  tradingOpen: 'Пробная покупка проходит.',
  tradingClosed:
    'Сейчас никто не может купить, хотя в пуле есть ликвидность: {why:sentence}. {how:sentence}',
  closedToOthers:
    'Раньше другие покупали (покупок: {count:number}): для новых покупателей торговля закрыта.',
  nobodyCanOpen: 'От владения отказались: неизвестно, кто мог бы открыть торговлю.',
  ownerCanOpen: 'Открыть торговлю может владелец: {functions:list}.',
  openerUnknown: 'Кто мог бы открыть торговлю, неизвестно.',
  listed: 'Известный токен, по его адресу: {known}, есть в публичных списках токенов.',
  listedNative: 'Обёрнутая собственная монета сети {chain}.',
  listedStable: 'Известный стейблкоин сети {chain}: {symbol}.',
  listedBase: 'Одна из монет, в которых этот сервис оценивает токены.',
  notListed:
    'Не входит в число известных токенов, о которых знает этот сервис. Большинство токенов не входит.',
  buyFails: 'Пробная покупка не проходит: {why:sentence}. Возможно, торговля ещё не открыта.',
  sellFails: 'Купленный токен нельзя продать: {why:sentence}.',
  sellFailsButForLittle:
    'Купленный токен нельзя продать: {why:sentence}. Десятитысячную его часть продать можно: продажи ограничены почти до нуля.',
  sellsToEntered:
    'Купленный токен можно продать, передав его пулу; роутеры могут забрать его, только если контракт их записал, а новый роутер — не может.',
  poolAboveWalletLimit:
    'Купленный токен нельзя продать в этом пуле: {why:sentence}. Обычный кошелёк, который копит токены, получает отказ теми же словами: лимит для кошельков действует и на этот пул, как на все, для которых контракт не сделал исключения.',
  poolSends: 'пул отправляет кошельку токены, пока не получит отказ',
  sells: 'Купленный токен можно продать.',
  sellsAfter:
    'Купленный токен можно продать через {after:seconds} после покупки, но не в следующем блоке.',
  purchaseKeeps: 'При покупке удерживается {share:percent} токенов.',
  saleKeeps: 'При продаже удерживается {share:percent} суммы.',
  tradeTax: 'Помимо комиссии пула, покупка стоит {buy:percent}, а продажа — {sell:percent}.',
  transferFails: 'Перевод с одного кошелька на другой не проходит: {why:sentence}.',
  transferTax: 'Перевод с одного кошелька на другой стоит {share:percent}.',
  noLimit: 'Ограничений на сделки не обнаружено.',
  limitsMet: 'Не проходит: {limits:sentences}.',
  limitPurchase: 'разовая покупка на {share:percent} пула',
  limitWallet: 'покупки в одном блоке на {share:percent} пула',
  limitSale: 'разовая продажа на {share:percent} пула',

  delivered: 'Из токенов, которые выдаёт пул, до покупателя доходит {share:percent}.',
  noSaleNow: 'В следующем блоке продажа не проходит.',
  sellsLater: 'Через сутки продажа тоже проходит.',
  sellsNotLater: 'Сейчас продажа проходит, но через сутки — нет: {why:sentence}.',
  saleGas: 'Перевод при продаже расходует газа: {gas:number}.',

  originOwner: 'владелец',
  originCreator: 'создатель',
  originStorage: 'указан в хранилище контракта',
  originCode: 'указан в коде контракта',
  originAnyone: 'кто угодно',
  harmMint: 'выпускать новые токены',
  harmConfiscate: 'забирать токены из кошельков покупателей',
  harmPause: 'останавливать все переводы',
  harmBlacklist: 'запрещать продажу отдельным покупателям',
  harmGate: 'закрывать торговлю',
  harmLimit: 'ограничивать продажи до нуля',
  harmFee: 'удерживать большую часть суммы продажи',
  harmFreeze: 'останавливать продажи',
  effectMint: '{share:percent} предложения',
  effectConfiscate: '{share:percent} токенов покупателя',
  effectFreeze: 'продажа, которая проходила до этого, после этого не проходит',
  effectTax: 'после этого продажа теряет {share:percent}',

  powerProven:
    'Привилегированный адрес ({origin:sentence}) может {harm:sentence} через {call}: смоделировано, {effect:sentence}.',
  powerOfAnyone: 'Кто угодно может {harm:sentence} через {call}: смоделировано, {effect:sentence}.',
  powerNotFound: 'Не найдено никого, кто мог бы {harm:sentence}.',
  powerRenounced: 'В контракте есть {functions:list}, но от владения отказались.',
  powerInCode:
    'По коду контракта {harm:sentence} может {holder:sentence}, через {call}; моделирование этого не показало.',
  heldByWallet: 'один кошелёк ({address})',
  heldByMultisig: 'мультиподпись ({address})',
  heldByTimelock: 'таймлок ({address})',
  heldByGovernance: 'контракт управления ({address})',
  heldByContract: 'контракт ({address})',
  heldByAnyone: 'кто угодно',
  heldByUnknown: 'тот, кого записал контракт',
  slotNames: 'в слоте {slot} контракта {token} указан {address}',
  slotEnters: 'слот {slot} контракта {token}, не нулевой, — запись об адресе {address}',
  powerNamed: 'В контракте есть {functions:list}; что кто-либо может {harm:sentence}, не показано.',

  // hook_power, hook_tax, pool_fee
  harmHookRefuse: 'отклонять сделки',
  harmHookTake: 'удерживать их часть',
  harmHookFee: 'назначать их комиссию',
  hookIdle: 'Хук {hook} пула в сделках не вызывается.',
  hookFixed:
    'Хук {hook} пула может {harms:sentences}; его код неизменен, и владельца он не называет.',
  hookOwned: 'Хук {hook} пула может {harms:sentences}; у него есть владелец: {owner}.',
  hookReplaceable: 'Хук {hook} пула может {harms:sentences}, и его код можно заменить.',
  hookPowerProven:
    'Привилегированный адрес ({origin:sentence}) может {harm:sentence} через {call} хука пула {hook}: смоделировано, {effect:sentence}.',
  hookRefuses: 'Хук {hook} пула отклоняет продажи: без него та же продажа проходит.',
  hookTakes:
    'Сверх комиссии пула его хук {hook} удерживает {buy:percent} покупки и {sell:percent} продажи.',
  poolKeeps: 'Комиссия пула — {share:percent} от внесённой суммы.',

  noOwner: 'В контракте не указан владелец.',
  renounced: 'От владения отказались.',
  owned: 'У контракта есть владелец: {address}.',
  notRenounced: 'От владения не отказывались.',
  noHiddenOwner: 'Не найдено никого, кто управлял бы контрактом после отказа от владения.',
  hiddenOwner:
    'От владения как будто отказались, но {address} ({origin:sentence}) может {harm:sentence} через {call}.',

  resemblesNone: 'Название не похоже на название какого-либо известного токена.',
  disguised: 'Название написано так, чтобы его приняли за {known}, но это другой токен.',
  sameName: 'Название и символ те же, что у {known}, но это другой токен.',
  sameSymbol: 'Символ тот же, что у {known}, но это другой токен.',
  nameMissing: 'Токен не сообщает ни названия, ни символа.',
  nameListed: 'Это один из известных токенов своей сети.',
  nameNotSpam: 'Название и символ написаны не так, как у спама.',
  nameInvites: 'Название — это приглашение: в нём написано «{asks}», и оно ведёт на «{leads}».',
  nameLikeSpam: 'Название и символ написаны так, как у спама: {parts:list}.',
  spreadUnread: 'У токена есть рынок или слишком много переводов, чтобы просмотреть все.',
  sentUnasked:
    'Адреса, получившие токен десятками в одной транзакции: {unasked:number} из {recipients:number}.',
  codeNotCompared: 'Не удалось сравнить код с другими.',
  scamCode:
    'Известных мошеннических токенов с тем же кодом: {scams:number}; других токенов с ним: {others:number}.',
  nearScamCode:
    'По оценке, {share:percent} кода совпадает с кодом известного мошеннического токена.',
  noScamCode: 'Мошеннических токенов с таким кодом не известно.',

  cannotSelfDestruct: 'Код не может уничтожить сам себя.',
  canSelfDestruct: 'Код может уничтожить сам себя.',
  noForeignCode: 'Код не выполняет чужой код.',
  isProxy: 'Контракт является прокси.',
  foreignCode: 'Контракт выполняет код других контрактов, но не является прокси известного вида.',
  noProxy: 'Контракт не является прокси.',
  fixedProxy: 'Контракт всегда выполняет код {implementation}; заменить его нельзя.',
  replaceableProxy: 'Контракт выполняет код {implementation}, который можно заменить.',
  functionsUnknown: 'Функции контракта не удалось восстановить из его кода.',
  hasAllFunctions: 'Все функции ERC-20 на месте.',
  lacksFunctions: 'В коде отсутствуют: {functions:list}.',

  fewHolders: 'Держателей: {holders:number} — слишком мало для вывода.',
  balancesUnknown: 'Токен переводили слишком часто, чтобы подсчитать балансы.',
  topTenHold: 'Десять крупнейших кошельков держат {share:percent}.',

  ofLiquidity: 'ликвидность',
  ofSupply: 'выпуск токена',
  byLockOwner: 'владелец блокировки',
  byLockerOwner: 'владелец контракта блокировки',
  byCreator: 'создатель токена',
  byInsider: 'адрес, записанный в контракте блокировки',
  byAnyone: 'кто угодно',
  lockOpens:
    '{locker} заявляет о блокировке до {until:time} ({what:sentence}, {share:percent}), но {who:sentence} может забрать это раньше.',
  lockEmpty:
    '{locker} заявляет о блокировке до {until:time} ({what:sentence}), но у него ничего этого нет.',
  lockHoldsUntil:
    'Заблокировано до {until:time}: {what:sentence}, {share:percent}. Не найдено никого, кто может забрать это раньше.',
  lockUntried: 'Не удалось проверить, можно ли забрать заблокированное раньше срока.',

  opcodeAt: '{opcode} в байте {offset} ({hex})',
  answers: '{call} возвращает {answer}',
  largestBatch:
    'крупнейшая из транзакций, раздавших многим равные суммы; всего таких: {batches:number}',
  answersPart: '«{part}»: {call} отвечает {answer}',
  callsItself: '{known}; этот токен называет себя {own}',
  selectorsFound: 'селекторы в диспетчере',
  selectorsMissing: 'нет селекторов: {functions:list}',
  sameInstructions: 'те же инструкции без учёта констант',
  scamWithCode: 'мошеннический токен с этим кодом',
  scamWithNearCode: 'мошеннический токен с похожим кодом',
  transferLogs: 'журналы Transfer; балансы следуют из них',
  syncLogs: 'журналы Sync до блока {block}; вклады в shap_values следуют из них',
  atBlock: '{call} на блоке {block}',
  largestFall: 'наибольшее падение резерва',
  buyFailsHere: 'купить {token}',
  buyThenSell: 'купить {token}, затем продать',
  buyThenSend: 'купить {token}, затем перевести на другой кошелёк',
  buyManyThenSell: 'купить {token} несколько раз, затем продать',
  buyThenTransferSale: 'купить {token}, затем продать переводом в пул',
  hookNamed: 'запись о создании пула {pool} называет его хук',
  feeNamed: 'запись о создании пула {pool} называет его комиссию',
  withoutHook: 'то же с хуком, который ничего не удерживает и не отклоняет',
  buyThenCall:
    'купить {token}, затем {call} от {caller} ({origin:sentence}) с данными {data}, затем балансы и продажа',
  lockOpenedBy: 'что есть у {locker}, затем {call} от {caller}, и что осталось',
  lockHolds: 'что есть у {locker}',
};
