// Parses one `Authentication-Results` header (RFC 8601, section 2.2). A header that breaks the grammar is rejected completely, because
// two parsers could read it in two ways. Values may be wider than tokens, since servers write signatures and addresses unquoted.

/** No server writes a longer header; a sender can. */
const maxLength = 16 * 1024

export interface MethodResult {
  readonly method: string
  readonly methodVersion: number
  readonly result: string
  /** Values by `type.property` in lower case. Null: duplicate or ambiguous. */
  readonly properties: ReadonlyMap<string, string | null>
}

export interface AuthenticationResults {
  /** The `authserv-id`, in lower case. */
  readonly server: string
  readonly results: readonly MethodResult[]
}

class Unreadable extends Error {}

interface Value {
  readonly text: string
  /** A single token, or a single quoted string without escapes. */
  readonly isPlain: boolean
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Skips white space and comments. */
  skip(): void {
    for (;;) {
      this.take(/[ \t]+/y)
      if (this.#text[this.#at] !== '(') return
      this.#skipComment()
    }
  }

  /** Consumes a match of the sticky `pattern` at the current position. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [match] = pattern.exec(this.#text) ?? []
    this.#at += match?.length ?? 0
    return match
  }

  need(pattern: RegExp): string {
    const match = this.take(pattern)
    if (match === undefined) throw new Unreadable()
    return match
  }

  value(): Value {
    const parts: string[] = []
    let part = this.#valuePart()
    for (; part !== undefined; part = this.#valuePart()) parts.push(part)
    const [first = ''] = parts
    if (!first.startsWith('"')) return { text: first, isPlain: parts.length === 1 }
    return { text: first.slice(1, -1), isPlain: parts.length === 1 && !first.includes('\\') }
  }

  #valuePart(): string | undefined {
    return this.take(/"(?:[^"\\]|\\.)*"/y) ?? this.take(/[!#-'*-:<-[\]-~]+/y)
  }

  /** Comments nest; a backslash escapes the next character. */
  #skipComment(): void {
    let depth = 0
    do {
      const match = this.need(/[^()\\]*(?:[()]|\\.)/y)
      if (match.at(-2) === '\\') continue
      depth += match.endsWith('(') ? 1 : -1
    } while (depth > 0)
  }
}

const keyword = /[A-Za-z][A-Za-z0-9_-]*/y

/** `header.d`, or a name without a type, such as `reason`. */
const readName = (scanner: Scanner): string => {
  const parts = [scanner.need(keyword)]
  scanner.skip()
  while (scanner.take(/\./y) !== undefined) {
    scanner.skip()
    parts.push(scanner.need(keyword))
    scanner.skip()
  }
  return parts.join('.').toLowerCase()
}

/** Defaults to 1, the only version. */
const readVersion = (scanner: Scanner): number => {
  const text = scanner.take(/[0-9]{1,9}/y)
  scanner.skip()
  return text === undefined ? 1 : Number(text)
}

const readProperties = (scanner: Scanner): Map<string, string | null> => {
  const properties = new Map<string, string | null>()
  scanner.skip()
  while (!scanner.isAtEnd && scanner.take(/;/y) === undefined) {
    const name = readName(scanner)
    scanner.need(/=/y)
    scanner.skip()
    const { text, isPlain } = scanner.value()
    scanner.skip()
    properties.set(name, isPlain && !properties.has(name) ? text : null)
  }
  return properties
}

const readResult = (scanner: Scanner): MethodResult => {
  const method = scanner.need(keyword).toLowerCase()
  scanner.skip()
  if (scanner.take(/\//y) !== undefined) scanner.skip()
  const methodVersion = readVersion(scanner)
  scanner.need(/=/y)
  scanner.skip()
  const result = scanner.need(keyword).toLowerCase()
  return { method, methodVersion, result, properties: readProperties(scanner) }
}

/** `none` means that nothing was tested. A trailing semicolon is common. */
const readResultList = (scanner: Scanner): MethodResult[] => {
  const results: MethodResult[] = []
  for (scanner.skip(); !scanner.isAtEnd; scanner.skip()) {
    if (scanner.take(/;/y) !== undefined || scanner.take(/none(?![\w/=-])(?!\s*[/=])/iy) !== undefined) continue
    results.push(readResult(scanner))
  }
  return results
}

const readHeader = (scanner: Scanner): AuthenticationResults => {
  scanner.skip()
  const { text, isPlain } = scanner.value()
  scanner.skip()
  const isReadable = isPlain && readVersion(scanner) === 1 && (scanner.isAtEnd || scanner.take(/;/y) !== undefined)
  if (!isReadable) throw new Unreadable()
  return { server: text.toLowerCase(), results: readResultList(scanner) }
}

/** @param header the unfolded value. Undefined if it is too long or breaks the grammar. */
export const readAuthenticationResults = (header: string): AuthenticationResults | undefined => {
  if (header.length > maxLength || !/^[\t -~]*$/.test(header)) return undefined
  try {
    return readHeader(new Scanner(header))
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
