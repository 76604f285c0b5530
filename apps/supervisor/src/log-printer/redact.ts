// Takes every secret that the unit knows out of what is printed, whatever field it stands in.

const shortest = 8

export interface Redactor {
  add(secret: string): void
  /** Strings at any depth, names of fields too. */
  clean(value: unknown): unknown
}

export const createRedactor = (): Redactor => {
  const spellings = new Set<string>()
  const cleanText = (text: string): string => {
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
      spellings.add(secret)
      spellings.add(JSON.stringify(secret).slice(1, -1))
      spellings.add(encodeURIComponent(secret))
      spellings.add(Buffer.from(secret).toString('base64'))
    },
    clean,
  }
}
