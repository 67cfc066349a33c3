import type { Language } from '../../shared/sentences/language.ts';
import { fillTemplate } from '../../shared/sentences/writeSentence.ts';
import type { Factor, Wallet } from './wallet.ts';

type Texts = Readonly<Record<Exclude<Language, 'en'>, string>>;

/** What a factor of a reputation says, by its name; the English text is stored with it. */
const TEXTS: Readonly<Record<string, Texts>> = {
  scam_rate: {
    ru: 'Создал токенов: {made:number}, из них мошеннических: {scams:number}.',
    es: 'Creó {made:number} tokens; {scams:number} eran estafas.',
    zh: '创建了 {made:number} 个代币，其中 {scams:number} 个是骗局。',
  },
  liquidity_removed: {
    ru: 'Забирал ликвидность в течение суток, токенов: {value:number}.',
    es: 'Retiró la liquidez en menos de un día; tokens afectados: {value:number}.',
    zh: '在一天内撤走了 {value:number} 个代币的流动性。',
  },
  value_stolen: {
    ru: 'Держатели его мошеннических токенов потеряли около {value:usd}.',
    es: 'Los tenedores de sus estafas perdieron unos {value:usd}.',
    zh: '其骗局代币的持有者损失约 {value:usd}。',
  },
  funded_by_scammer: {
    ru: 'Первые деньги получил от известного мошенника.',
    es: 'Su primer dinero vino de un estafador conocido.',
    zh: '最初的资金来自已知的诈骗者。',
  },
  ring_master: {
    ru: 'Возглавляет мошенническую группу.',
    es: 'Dirige una red de estafas.',
    zh: '是诈骗团伙的主谋。',
  },
  ring_member: {
    ru: 'Входит в мошенническую группу.',
    es: 'Pertenece a una red de estafas.',
    zh: '属于诈骗团伙。',
  },
};

/** What a factor of a wallet's reputation says, in a language; English for one without a translation. */
export const factorText = (wallet: Wallet, factor: Factor, language: Language): string => {
  const name = factor.id === 'ring' ? `ring_${String(factor.value)}` : factor.id;
  const texts = TEXTS[name];
  if (language === 'en' || texts === undefined) return factor.text;
  const value = typeof factor.value === 'number' ? factor.value : 0;
  const values = { made: wallet.tokensCreated, scams: wallet.scams, value };
  return fillTemplate(texts[language], values, language);
};
