// Reads a text area that holds one value a line.

/** The lines of a text area that are not blank. */
export const splitLines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
