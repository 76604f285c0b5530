// Text of others on its way to a terminal: what a terminal would obey or hide becomes readable.
import { visible as written } from '@gatehouse/contracts'

/** One line: line ends and tabs are written out too. */
export const visible = (text: string): string => written(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')

/** Several lines: line ends and tabs stay what they are. */
export const visibleLines = (text: string): string => written(text.replaceAll('\r\n', '\n'))
