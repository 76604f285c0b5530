// Decides which values of a client's configuration may be copied, and names the variable that replaces each of the others. What is not
// evidently harmless is replaced.

const secretWords = new Set(
  'key apikey token secret password passwd pwd pass passphrase credential credentials auth authorization cookie session bearer private signature sig pat jwt dsn'.split(
    ' ',
  ),
)

/** `OPENAI_API_KEY`, `--api-key` and `apiKey` have the same words. */
const wordsIn = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

const isSecretName = (name: string): boolean =>
  wordsIn(name).some((word) => secretWords.has(word) || /(?:key|token|secret|password)$/.test(word))

/** Beginnings that issuers give to their keys, and encoded tokens. */
const issued =
  /(?:^|[^A-Za-z0-9])(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|AKIA|ASIA|AIza|ya29|eyJ|hf|npm|pypi|shpat|SG|lin_api|secret|ntn|tvly|key|Bearer|Basic)[-_. ]?[A-Za-z0-9_-]{12,}/

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** Bits for each character. */
const entropyOf = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

const isRandom = (part: string): boolean => part.length >= 20 && /\d/.test(part) && /[A-Za-z]/.test(part) && entropyOf(part) >= 3.3

const urlIn = (text: string): URL | undefined => {
  const found = /[a-z][a-z0-9+.-]*:\/\/\S+/i.exec(text)?.[0]
  return found !== undefined && URL.canParse(found) ? new URL(found) : undefined
}

const hasSecretPart = ({ username, password, searchParams }: URL): boolean =>
  username !== '' || password !== '' || [...searchParams].some(([name, value]) => isSecretName(name) || looksSecret(value))

const looksSecret = (text: string): boolean => {
  const url = urlIn(text)
  if (url !== undefined && hasSecretPart(url)) return true
  if (issued.test(text) || uuid.test(text)) return true
  if (/^(?:authorization|cookie|x-api-key)\s*[:=]/i.test(text)) return true
  return text.split(/[\s/:=,;@?&]+/).some(isRandom)
}

const plainWords = new Set(
  'true false yes no on off debug info warn warning error trace silent production development staging test stdio http sse json text utf-8 utf8 utc auto none default readonly read-only'.split(
    ' ',
  ),
)

const isPlain = (value: string): boolean => {
  if (value === '' || plainWords.has(value.toLowerCase()) || /^-?\d{1,9}(?:\.\d{1,6})?$/.test(value)) return true
  if (/^(?:\/|\.{1,2}\/|[A-Z]:\\)/.test(value) && !looksSecret(value)) return true
  const url = urlIn(value)
  return url !== undefined && url.href.startsWith(value.slice(0, 8)) && url.search === '' && url.hash === '' && !looksSecret(value)
}

/** A reference in the notation of a client: `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`. */
const clientReference = /\$\{(?:(env|input):)?([A-Za-z_][A-Za-z0-9_.-]*)(?::-[^}]*)?\}/g

/** Names that a unit never gives to a server, or that mean something else in its environment. */
const reserved =
  /^(?:SERVICE_.*|NODE_.*|LD_.*|NPM_.*|PATH|HOME|SHELL|USER|LOGNAME|PWD|OLDPWD|TERM|LANG|SHLVL|IFS|BASH_ENV|ENV|_)$|^(?:ANTHROPIC|OPENAI)_API_KEY$/i

const variableName = (text: string): string => {
  const name = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return /^[A-Z]/.test(name) ? name : `V_${name}`
}

/** The variables of one import. Two values never share a name. */
export class Variables {
  readonly #values = new Map<string, string>()

  /** `owner` is the server's name, which makes a name distinct where another value has it, or it is reserved. */
  #nameFor(owner: string, wanted: string, value: string): string {
    const own = `${variableName(owner)}_${wanted}`
    for (let count = 1; ; count += 1) {
      const name = [wanted, own][count - 1] ?? `${own}_${count - 1}`
      const other = this.#values.get(name)
      if (reserved.test(name) || (other !== undefined && other !== value)) continue
      this.#values.set(name, value)
      return name
    }
  }

  /** `${NAME}` for a value that is not to be copied. */
  replace(owner: string, key: string, value: string): string {
    return `\${${this.#nameFor(owner, variableName(key), value)}}`
  }

  /** References of a client become those of the catalog. Undefined where the value has none, or other text than an authorization's scheme. */
  #translate(owner: string, value: string): string | undefined {
    const rest = value.replaceAll(clientReference, '')
    if (rest === value || !/^(?:Bearer|Basic|Token)?[\s:;,/.=-]*$/i.test(rest)) return undefined
    return value.replaceAll(clientReference, (_reference, kind: string | undefined, name: string) => {
      const wanted = kind === 'input' || !/^\w+$/.test(name) ? variableName(name) : name
      return `\${${this.#nameFor(owner, wanted, `reference to ${name}`)}}`
    })
  }

  /** The value of a variable of a program. */
  ofEnv(owner: string, key: string, value: string): string {
    const translated = this.#translate(owner, value)
    if (translated !== undefined) return translated
    return isPlain(value) && !isSecretName(key) ? value : this.replace(owner, key, value)
  }

  /** Only the scheme of an authorization stays. */
  ofHeader(owner: string, key: string, value: string): string {
    if (/^(?:accept|content-type|user-agent)$/i.test(key) && !looksSecret(value)) return value
    const [, scheme = '', rest = value] = /^((?:Bearer|Basic|Token)\s+)(.*)$/is.exec(value) ?? []
    const translated = this.#translate(owner, rest)
    if (translated !== undefined) return `${scheme}${translated}`
    const name = key.toLowerCase() === 'authorization' ? `${owner} token` : `${owner} ${key}`
    return `${scheme}${this.replace(owner, name, rest)}`
  }

  /** Arguments with the secret ones replaced, and whether there was one. */
  ofArguments(owner: string, args: readonly string[]): { readonly args: readonly string[]; readonly replaced: boolean } {
    let replaced = false
    const hide = (key: string, value: string): string => {
      replaced = true
      return this.replace(owner, key, value)
    }
    const safe = args.map((arg, index) => {
      const before = args[index - 1] ?? ''
      if (/^--?[A-Za-z]/.test(before) && !before.includes('=') && isSecretName(before) && !arg.startsWith('-')) return hide(before, arg)
      const [, flag = '', value = ''] = /^(--?[A-Za-z][\w-]*=|[A-Za-z_]\w*=)(.+)$/s.exec(arg) ?? []
      if (flag !== '') return isSecretName(flag) || looksSecret(value) ? `${flag}${hide(flag, value)}` : arg
      if (looksSecret(arg)) return hide(arg.includes('://') ? 'url' : 'argument', arg)
      if (arg.search(clientReference) === -1) return arg
      replaced = true
      return this.#translate(owner, arg) ?? this.replace(owner, 'argument', arg)
    })
    return { args: safe, replaced }
  }
}
