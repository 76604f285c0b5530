// Words of a command line as a shell reads them.

const plain = /^[A-Za-z0-9_/.:@%+,=-]+$/

/** Anything else than plain characters goes between single quotes, so that a shell expands nothing. */
export const quoteWords = (words: readonly string[]): string =>
  words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ')
