// Takes every secret that the unit knows out of what is printed, whatever field it stands in.

/** Shorter ones would hide ordinary words. */
const shortest = 8

export interface Redactor {
  add(secret: string): void
  /** Strings at any depth, names of fields too. */
  clean(value: unknown): unknown
}

export const createRedactor = (): Redactor => {
  const spellings = new Set<string>()
  let least = Infinity

  const cleanText = (text: string): string => {
    // Most fields are too short to hold any secret.
    if (text.length < least) return text
    let cleaned = text
    for (const spelling of spellings) if (cleaned.includes(spelling)) cleaned = cleaned.replaceAll(spelling, '[redacted]')
    return cleaned
  }
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), clean(inner)]))
  }
  return {
    add: (secret) => {
      if (secret.length < shortest) return
      for (const spelling of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
      ]) {
        spellings.add(spelling)
        least = Math.min(least, spelling.length)
      }
    },
    clean,
  }
}
