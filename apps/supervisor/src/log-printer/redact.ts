// Takes every secret that the unit knows out of a line, whatever field it stands in.

const shortest = 8

export interface Redactor {
  add(secret: string): void
  clean(line: string): string
}

export const createRedactor = (): Redactor => {
  const spellings = new Set<string>()
  return {
    add: (secret) => {
      if (secret.length < shortest) return
      spellings.add(secret)
      spellings.add(JSON.stringify(secret).slice(1, -1))
      spellings.add(encodeURIComponent(secret))
      spellings.add(Buffer.from(secret).toString('base64'))
    },
    clean: (line) => {
      let cleaned = line
      for (const spelling of spellings) if (cleaned.includes(spelling)) cleaned = cleaned.replaceAll(spelling, '[redacted]')
      return cleaned
    },
  }
}
