import type { SentenceCode } from './sentence.ts';

/** Sentences of checks and of their evidence in Spanish. */
export const es: Readonly<Record<SentenceCode, string>> = {
  verbatim: '{text}',

  // advice
  avoid: 'No compre.',
  avoidUnclear: 'No compre: mucho apunta a una estafa, aunque no todo es seguro.',
  wait: 'Espere: hay demasiado poco claro para considerarlo seguro.',
  noFinding: 'No se encontró nada en su contra. No es una garantía.',

  contractUnread: 'No se pudo leer el contrato.',
  noPoolToTrade: 'El token no tiene ningún pool en el que operar.',
  behindHead: 'Las operaciones solo se simulan en el último bloque de la cadena.',
  curveBuyFails:
    'Comprar en la curva con la moneda nativa {why:sentence}; puede cotizar en otro token.',
  curveRefuses: 'Comprar en la curva {why:sentence}.',
  curveEmpty: 'La curva aún no ha recaudado nada con lo que probar una operación.',
  marketNotCovered:
    'Se negocia en {protocol}, que el modelo de mercados nunca ha visto: el veredicto se basa en el contrato, los bloqueos, el creador y las operaciones.',
  nothingSniped: 'No se compraron tokens en el bloque en que abrió el mercado.',
  sniped:
    'En el bloque {block}, en que abrió el mercado, se compró el {share:percent} de todos los tokens, el {own:percent} por el creador, que ahora tiene el {holds:percent}.',
  snipedHere: 'la mayor compra de ese bloque',
  otherBase: 'Solo se simulan operaciones contra la moneda nativa envuelta.',
  nodeCannotSimulate: 'El nodo no ofrece ni eth_simulateV1 ni llamadas con estado modificado.',
  nodeRefusesProbe: 'El nodo rechaza eth_simulateV1.',
  nodeWithoutHead: 'El nodo no indica su último bloque.',
  nodeSilent: 'El nodo no responde ahora a las simulaciones.',
  answerTooLarge: 'La respuesta del nodo a la simulación es demasiado grande.',
  answerUnreadable: 'No se puede interpretar la respuesta del nodo a una simulación.',
  simulationRefused: 'El nodo rechaza la simulación (error {code}).',
  simulationEndless: 'La simulación no llegó a terminar.',
  balanceMoved: 'El saldo simulado varía de una simulación a otra.',
  balanceNotReported: 'El token no informa del saldo de un comprador.',
  poolTooSmall: 'El pool es demasiado pequeño para que una operación muestre algo.',
  nothingBought: 'No se pudo comprar nada para probarlo.',
  noTrade: 'No se pudo simular ninguna operación.',
  noTransfer: 'No se pudo simular ninguna transferencia.',

  revertsSilently: 'la llamada se revierte sin dar motivo',
  revertsOverlong: 'la llamada se revierte con datos demasiado largos',
  revertsUnreadably: 'la llamada se revierte con un motivo ilegible',
  revertsWith: 'la llamada se revierte con «{text}»',
  revertsCustom: 'la llamada se revierte con el error propio {selector}',
  panics: 'la llamada aborta con el código de pánico {code}',
  deliversNothing: 'no entrega ningún token',
  earnsNothing: 'no se obtiene nada a cambio',
  hookReverts: 'el hook del pool rechaza la operación: {why:sentence}',
  byTransfer: 'al transferir al pool, {why:sentence}',
  byRouter: 'a través de un router, {why:sentence}',

  noPool: 'El token no tiene pool de Uniswap V2.',
  poolHolds: 'El pool principal conserva el {share:percent} de su reserva máxima.',
  poolLost: 'El pool principal perdió el {share:percent} de su reserva máxima.',
  noPoolForModel: 'El token no tiene pool de Uniswap V2, y el modelo de mercados no conoce otros.',
  drainedMoreOften:
    'De los pools con una operativa como esta, el {share:percent} se vació en una semana: una proporción de probabilidades {times:number} veces la habitual a su edad.',
  drainedLessOften:
    'De los pools con una operativa como esta, el {share:percent} se vació en una semana: una proporción de probabilidades {times:number} veces menor que la habitual a su edad.',

  tradingOpen: 'Una compra simulada funciona.',
  tradingClosed:
    'Nadie puede comprar ahora, aunque el pool tiene liquidez: {why:sentence}. {how:sentence}',
  closedToOthers:
    'Otros compraron antes ({count:number} compras): está cerrado a compradores nuevos.',
  nobodyCanOpen: 'Se renunció a la propiedad: no se sabe quién podría abrirlo.',
  ownerCanOpen: 'El propietario puede abrirlo: {functions:list}.',
  openerUnknown: 'No se sabe quién podría abrirlo.',
  listed: 'Un token consolidado, por su dirección: {known}, en listas públicas de tokens.',
  listedNative: 'La moneda nativa envuelta de {chain}.',
  listedStable: 'Una stablecoin consolidada de {chain}: {symbol}.',
  listedBase: 'Una de las monedas en las que este servicio valora los tokens.',
  notListed:
    'No es ninguno de los tokens consolidados que este servicio conoce. La mayoría no lo es.',
  buyFails:
    'Una compra simulada falla: {why:sentence}. Puede que la negociación aún no esté abierta.',
  sellFails: 'Un token comprado no se puede vender: {why:sentence}.',
  sellFailsButForLittle:
    'Un token comprado no se puede vender: {why:sentence}. Sí se puede vender una diezmilésima parte: las ventas están limitadas a casi nada.',
  sellsToEntered:
    'Un token comprado se puede vender entregándolo al pool; los routers solo pueden tomarlo si el contrato los ha registrado, y uno nuevo no puede.',
  poolAboveWalletLimit:
    'Un token comprado no se puede vender en este pool: {why:sentence}. A una cartera corriente que reúne tokens se le rechaza con las mismas palabras: un límite para carteras vale también para este pool, como para todos los que el contrato no exime.',
  poolSends: 'el pool envía tokens a una cartera hasta que se le rechaza',
  sells: 'Un token comprado se puede vender.',
  sellsAfter:
    'Un token comprado se puede vender {after:seconds} después de la compra, pero no en el bloque siguiente.',
  purchaseKeeps: 'Una compra retiene el {share:percent} de los tokens.',
  saleKeeps: 'Una venta retiene el {share:percent} del importe.',
  tradeTax:
    'Además de la comisión del pool, comprar cuesta el {buy:percent} y vender, el {sell:percent}.',
  transferFails: 'Una transferencia de una cartera a otra falla: {why:sentence}.',
  transferTax: 'Una transferencia de una cartera a otra cuesta el {share:percent}.',
  noLimit: 'No se encontró ningún límite a las operaciones.',
  limitsMet: 'Lo que falla: {limits:sentences}.',
  limitPurchase: 'una compra única del {share:percent} del pool',
  limitWallet: 'varias compras en un mismo bloque por el {share:percent} del pool',
  limitSale: 'una venta única del {share:percent} del pool',

  delivered: 'De los tokens que paga el pool, el {share:percent} llega al comprador.',
  noSaleNow: 'Ninguna venta funciona en el bloque siguiente.',
  sellsLater: 'Una venta funciona también un día después.',
  sellsNotLater: 'Una venta funciona ahora, pero no un día después: {why:sentence}.',
  saleGas: 'La transferencia de una venta consume {gas:number} de gas.',

  originOwner: 'propietario',
  originCreator: 'creador',
  originStorage: 'figura en el almacenamiento',
  originCode: 'figura en el código',
  originAnyone: 'cualquiera',
  harmMint: 'acuñar tokens nuevos',
  harmConfiscate: 'quitar tokens de las carteras de los compradores',
  harmPause: 'pausar todas las transferencias',
  harmBlacklist: 'impedir vender a determinados compradores',
  harmGate: 'cerrar el mercado',
  harmLimit: 'limitar las ventas a nada',
  harmFee: 'quedarse con la mayor parte de una venta',
  harmFreeze: 'detener las ventas',
  effectMint: '{share:percent} del suministro',
  effectConfiscate: '{share:percent} de los tokens de un comprador',
  effectFreeze: 'una venta que antes funciona falla después',
  effectTax: 'una venta pierde entonces el {share:percent}',

  powerProven:
    'Una dirección privilegiada ({origin:sentence}) puede {harm:sentence} mediante {call}: simulado, {effect:sentence}.',
  powerOfAnyone: 'Cualquiera puede {harm:sentence} mediante {call}: simulado, {effect:sentence}.',
  powerNotFound: 'No se encontró a nadie que pueda {harm:sentence}.',
  powerRenounced: 'El contrato tiene {functions:list}, pero se renunció a su propiedad.',
  powerInCode:
    'Según su código, {holder:sentence} puede {harm:sentence} mediante {call}; ninguna simulación lo ha mostrado.',
  heldByWallet: 'una sola cartera ({address})',
  heldByMultisig: 'una multifirma ({address})',
  heldByTimelock: 'un timelock ({address})',
  heldByGovernance: 'un contrato de gobernanza ({address})',
  heldByContract: 'un contrato ({address})',
  heldByAnyone: 'cualquiera',
  heldByUnknown: 'quien el contrato tenga registrado',
  slotNames: 'la ranura {slot} de {token} nombra a {address}',
  slotEnters: 'la ranura {slot} de {token}, que no es cero, es la entrada de {address}',
  powerNamed:
    'El contrato tiene {functions:list}; no se demostró que alguien pueda {harm:sentence}.',

  // hook_power, hook_tax, pool_fee
  harmHookRefuse: 'rechazar operaciones',
  harmHookTake: 'quedarse con una parte de ellas',
  harmHookFee: 'fijar su comisión',
  hookIdle: 'El hook {hook} del pool no se llama en las operaciones.',
  hookFixed:
    'El hook {hook} del pool puede {harms:sentences}; su código es fijo y no indica propietario.',
  hookOwned: 'El hook {hook} del pool puede {harms:sentences}; tiene un propietario: {owner}.',
  hookReplaceable:
    'El hook {hook} del pool puede {harms:sentences}, y su código se puede reemplazar.',
  hookPowerProven:
    'Una dirección privilegiada ({origin:sentence}) puede {harm:sentence} mediante {call} del hook del pool {hook}: simulado, {effect:sentence}.',
  hookRefuses: 'El hook {hook} del pool rechaza las ventas: sin él, la misma venta funciona.',
  hookTakes:
    'Además de la comisión del pool, su hook {hook} se queda con el {buy:percent} de una compra y el {sell:percent} de una venta.',
  poolKeeps: 'La comisión del pool es el {share:percent} de lo que se paga.',

  noOwner: 'El contrato no indica ningún propietario.',
  renounced: 'Se renunció a la propiedad.',
  owned: 'El contrato tiene propietario: {address}.',
  notRenounced: 'No se renunció a ninguna propiedad.',
  noHiddenOwner: 'No se encontró a nadie que controle el contrato tras la renuncia a su propiedad.',
  hiddenOwner:
    'Parece que se renunció a la propiedad, pero {address} ({origin:sentence}) puede {harm:sentence} mediante {call}.',

  resemblesNone: 'El nombre no se parece al de ningún token conocido.',
  disguised: 'El token está escrito para que se lea como {known}, y no lo es.',
  sameName: 'El token tiene el nombre y el símbolo de {known}, y no lo es.',
  sameSymbol: 'El token comparte su símbolo con {known}, y no lo es.',
  nameMissing: 'El token no dice ni nombre ni símbolo.',
  nameListed: 'El token es uno de los tokens conocidos de su cadena.',
  nameNotSpam: 'El nombre y el símbolo no están escritos como los del spam.',
  nameInvites: 'El nombre es una invitación: dice «{asks}» y lleva a «{leads}».',
  nameLikeSpam: 'El nombre y el símbolo están escritos como los del spam: {parts:list}.',
  spreadUnread: 'El token tiene un mercado, o demasiadas transferencias para mirarlas todas.',
  sentUnasked:
    'Direcciones que recibieron el token por docenas en una sola transacción: {unasked:number} de {recipients:number}.',
  codeNotCompared: 'No se pudo comparar el código con otros.',
  scamCode:
    'Estafas conocidas con el mismo código: {scams:number}; otros tokens con él: {others:number}.',
  nearScamCode: 'Se estima que el {share:percent} del código es el de una estafa conocida.',
  noScamCode: 'Ninguna estafa conocida tiene este código.',

  cannotSelfDestruct: 'El código no puede autodestruirse.',
  canSelfDestruct: 'El código puede autodestruirse.',
  noForeignCode: 'El código no ejecuta código ajeno.',
  isProxy: 'El contrato es un proxy.',
  foreignCode:
    'El contrato ejecuta código de otros contratos y no es un proxy de un tipo conocido.',
  noProxy: 'El contrato no es un proxy.',
  fixedProxy:
    'El contrato ejecuta siempre el código de {implementation}, que no se puede reemplazar.',
  replaceableProxy: 'El contrato ejecuta el código de {implementation}, que se puede reemplazar.',
  functionsUnknown: 'No se pueden recuperar las funciones del contrato a partir de su código.',
  hasAllFunctions: 'Están todas las funciones de ERC-20.',
  lacksFunctions: 'Al código le falta lo siguiente: {functions:list}.',

  fewHolders: 'Tenedores: {holders:number}, demasiado pocos para concluir algo.',
  balancesUnknown: 'El token se ha movido demasiadas veces como para sumar sus saldos.',
  topTenHold: 'Las diez carteras más grandes tienen el {share:percent}.',

  ofLiquidity: 'liquidez',
  ofSupply: 'suministro',
  byLockOwner: 'el dueño del bloqueo',
  byLockerOwner: 'el dueño del contrato de bloqueo',
  byCreator: 'el creador del token',
  byInsider: 'una dirección que figura en el contrato de bloqueo',
  byAnyone: 'cualquiera',
  lockOpens:
    '{locker} dice que bloquea hasta {until:time} ({what:sentence}, {share:percent}), pero {who:sentence} puede sacarlo antes.',
  lockEmpty:
    '{locker} dice que bloquea hasta {until:time} ({what:sentence}), pero no tiene nada de ello.',
  lockHoldsUntil:
    'Bloqueado hasta {until:time}: {what:sentence}, {share:percent}. No se encontró a nadie que pueda sacarlo antes.',
  lockUntried: 'No se pudo probar si lo bloqueado se puede sacar antes de tiempo.',

  opcodeAt: '{opcode} en el byte {offset} ({hex})',
  answers: '{call} responde {answer}',
  largestBatch: 'la mayor de {batches:number} transacciones que dieron cantidades iguales a muchos',
  answersPart: '«{part}»: {call} responde {answer}',
  callsItself: '{known}; este se llama a sí mismo {own}',
  selectorsFound: 'selectores en el despachador',
  selectorsMissing: 'sin selector de {functions:list}',
  sameInstructions: 'las mismas instrucciones, sin contar las constantes',
  scamWithCode: 'una estafa con este código',
  scamWithNearCode: 'una estafa con código similar',
  transferLogs: 'registros Transfer; de ellos se obtienen los saldos',
  syncLogs:
    'registros Sync hasta el bloque {block}; de ellos se obtienen las contribuciones de shap_values',
  atBlock: '{call} en el bloque {block}',
  largestFall: 'mayor caída de la reserva',
  buyFailsHere: 'comprar {token}',
  buyThenSell: 'comprar {token} y después venderlo',
  buyThenSend: 'comprar {token} y después enviarlo a otra cartera',
  buyManyThenSell: 'comprar {token} varias veces y después venderlo',
  buyThenTransferSale: 'comprar {token} y después venderlo con una transferencia al pool',
  hookNamed: 'el registro que crea el pool {pool} nombra su hook',
  feeNamed: 'el registro que crea el pool {pool} nombra su comisión',
  withoutHook: 'lo mismo con un hook que no retiene ni rechaza nada',
  buyThenCall:
    'comprar {token}, después {call} desde {caller} ({origin:sentence}) con los datos {data}, después saldos y una venta',
  lockOpenedBy: 'lo que tiene {locker}, después {call} desde {caller}, y lo que le queda',
  lockHolds: 'lo que tiene {locker}',
};
