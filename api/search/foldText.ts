/** Letters that look like Latin ones, and those; the view `token_terms_view` folds by the same. */
export const LOOK_ALIKES =
  'аαɑ∂ӑӓάǎăāąьвβƅʙбсςᴄσçćč¢ԁɗđďᴅеєεҽёэēėęěɇғϝƒɡցԍɢğģġһнηհꮒʜіιıɩӏίïīíìľłḷјϳʝкκķᴋмμᴍпνńňņɴռоοօøōőóòöⲟрρᴘþԛգɋгѓʀŕřŗᴦѕꜱşšśșтτţťțᴛ†υսцūůűųʋѵᴠԝωшɯŵхχ×уүγýÿʏᴢζžźżʐ';
export const LATIN =
  'aaaaaaaaaaabbbbbbccccccccdddddeeeeeeeeeeefffggggggghhhhhhiiiiiiiiiiiiijjjkkkkmmmnnnnnnnooooooooooppppqqqrrrrrrrsssssstttttttuuuuuuuuvvwwwwwxxxyyyyyyzzzzzz';

const LATIN_LETTERS = Array.from(LATIN);
const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Array.from(LOOK_ALIKES, (letter, index) => [letter, LATIN_LETTERS[index] ?? letter] as const),
);

/**
 * A text as it reads: compatibility forms (NFKC), lower case, letters of other alphabets as the Latin
 * ones they look like. For comparing, not for showing.
 */
export const foldText = (text: string): string =>
  Array.from(text.normalize('NFKC').toLowerCase(), (letter) => LATIN_OF.get(letter) ?? letter).join(
    '',
  );
