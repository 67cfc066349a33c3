import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { decodeText } from '../tokens/decodeAnswer.ts';
import { safeText } from '../tokens/safeText.ts';
import { decodeWords } from './abiWords.ts';

/** Longest data that is looked at, characters: a reason is a sentence. */
const RETURN_DATA_CHARS_MAX = 8_192;
/** Longest reason that is shown, code points. */
const REASON_CODE_POINTS_MAX = 120;
const SELECTOR_CHARS = 10;
/** Selectors of `Error(string)` and `Panic(uint256)`, which Solidity reverts with. */
const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';

/**
 * What reverted data says. The data is all that
 * counts: the words of the node differ from node to node. The text is the contract's own choice.
 */
export const revertReason = (returnData: string): Sentence => {
  if (returnData.length > RETURN_DATA_CHARS_MAX) return sentence('revertsOverlong');
  const selector = returnData.slice(0, SELECTOR_CHARS).toLowerCase();
  if (!/^0x[0-9a-f]{8}$/.test(selector)) return sentence('revertsSilently');
  const body = `0x${returnData.slice(SELECTOR_CHARS)}`;
  if (selector === ERROR_SELECTOR) {
    const text = safeText(decodeText(body) ?? '', REASON_CODE_POINTS_MAX);
    return text === '' ? sentence('revertsUnreadably') : sentence('revertsWith', { text });
  }
  const [panic] = selector === PANIC_SELECTOR ? (decodeWords(body, 1) ?? []) : [];
  return panic !== undefined && panic <= 0xffn
    ? sentence('panics', { code: `0x${panic.toString(16)}` })
    : sentence('revertsCustom', { selector });
};
