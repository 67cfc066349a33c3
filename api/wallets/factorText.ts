import type walletsJson from '../../shared/locales/en/wallets.json';
import type { Language } from '../../shared/sentences/language.ts';
import { type Messages, readMessages } from '../../shared/sentences/messages.ts';
import type { Factor, Wallet } from './wallet.ts';

/** Texts about wallets. */
export const WALLET_MESSAGES: Messages<keyof typeof walletsJson> = readMessages('wallets');

/**
 * A factor of a wallet's reputation in a language. English, and factors without a message, are returned as stored.
 */
export const factorText = (wallet: Wallet, factor: Factor, language: Language): string => {
  const name = factor.id === 'ring' ? `ring_${String(factor.value)}` : factor.id;
  if (language === 'en' || !WALLET_MESSAGES.has(name)) return factor.text;
  const value = typeof factor.value === 'number' ? factor.value : 0;
  return WALLET_MESSAGES.say(language, name, {
    made: wallet.tokensCreated,
    scams: wallet.scams,
    value,
  });
};
