// Puts host variables in place of `${NAME}` in values of env and headers, at connect time and nowhere else.
import { UpstreamFailure } from '../upstream/base/failure.ts'

export interface Expanded {
  readonly values: Readonly<Record<string, string>>
  /** Secrets that are removed from agents, logs and answers: values of variables, and credentials in any value. */
  readonly secrets: readonly string[]
  /** Values written in the entry, which are removed from what agents and people see of the server. They may be ordinary words. */
  readonly literals: readonly string[]
  /** Fields with a literal value that is too short to be removed. */
  readonly plain: readonly string[]
}

/** Shorter values occur in ordinary words: a variable with one is refused, and a literal one is logged. */
export const minSecretLength = 6

const reference = /\$\{([^}]*)\}?/g
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

const passwordIn = (value: string): string[] => {
  const password = URL.canParse(value) ? new URL(value).password : ''
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** With the credential of `Bearer X`, and the password of a URL. */
const credentialsIn = (value: string): string[] => {
  const [, credential] = /^[A-Za-z][A-Za-z0-9-]*\s+(\S+)$/.exec(value) ?? []
  return [...(credential === undefined ? [] : [credential]), ...passwordIn(value)]
}

const longOnes = (values: Iterable<string>): string[] => [...values].filter((value) => value.length >= minSecretLength)

const assertLong = (name: string, value: string): void => {
  if (value === '' || value.length >= minSecretLength) return
  throw new UpstreamFailure(
    'variable',
    `the variable ${name} has fewer than ${minSecretLength} characters, too few to be kept from agents: use a longer secret, or write a value that is none into the entry itself`,
  )
}

/** A variable that is not set, or that the catalog may not name, or that is too short for a secret, refuses the connection. */
export const expand = (values: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>>): Expanded => {
  const secrets = new Set<string>()
  const expandOne = (value: string): string =>
    value.replaceAll(reference, (whole, name: string) => {
      if (!whole.endsWith('}') || !variableName.test(name))
        throw new UpstreamFailure('variable', 'a value holds "${" without a variable name and "}"')
      const found = Object.hasOwn(variables, name) ? variables[name] : undefined
      if (found === undefined) throw new UpstreamFailure('variable', `the variable ${name} is not set, or the catalog may not name it`)
      assertLong(name, found)
      for (const secret of [found, ...credentialsIn(found)]) secrets.add(secret)
      return found
    })
  const expanded = Object.entries(values).map(([name, value]) => [name, expandOne(value)] as const)
  for (const [, value] of expanded) for (const secret of credentialsIn(value)) secrets.add(secret)
  const plain = expanded.flatMap(([name, value]) => (value !== '' && value.length < minSecretLength ? [name] : []))
  const literals = longOnes(expanded.map(([, value]) => value)).filter((value) => !secrets.has(value))
  return { values: Object.fromEntries(expanded), secrets: longOnes(secrets), literals, plain }
}

/** A line break in a header's value would begin another header. */
export const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  const bad = Object.entries(headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value))
  if (bad !== undefined)
    throw new UpstreamFailure(
      'variable',
      `the value of the header ${bad[0]} holds a line break or another character that a header cannot carry`,
    )
}

export const checkVariables = (env: Readonly<Record<string, string>>): void => {
  const bad = Object.entries(env).find(([, value]) => value.includes('\0'))
  if (bad !== undefined) throw new UpstreamFailure('variable', `the value of the variable ${bad[0]} holds a zero byte`)
}
