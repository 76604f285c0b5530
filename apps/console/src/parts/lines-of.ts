// What stands in a field of several lines.

export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
