// Ids as the providers make them.
import { randomBytes } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export const randomId = (prefix: string, length = 24): string =>
  prefix + [...randomBytes(length)].map((byte) => letters[byte % letters.length]).join('')
