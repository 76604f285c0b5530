// Puts host variables in place of `${NAME}` in values of env and headers, at connect time and nowhere else.
import { UpstreamFailure } from '../upstream/failure.ts'

export interface Expanded {
  readonly values: Readonly<Record<string, string>>
  /** What the variables held: to be kept out of everything that leaves. */
  readonly secrets: readonly string[]
}

const reference = /\$\{([^}]*)\}?/g
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A variable that is not set, or that the catalog may not name, refuses the connection. */
export const expand = (values: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>>): Expanded => {
  const secrets = new Set<string>()
  const expandOne = (value: string): string =>
    value.replaceAll(reference, (whole, name: string) => {
      if (!whole.endsWith('}') || !variableName.test(name))
        throw new UpstreamFailure('variable', 'a value holds "${" without a variable name and "}"')
      const found = Object.hasOwn(variables, name) ? variables[name] : undefined
      if (found === undefined) throw new UpstreamFailure('variable', `the variable ${name} is not set, or the catalog may not name it`)
      secrets.add(found)
      return found
    })
  const expanded = Object.entries(values).map(([name, value]) => [name, expandOne(value)] as const)
  return { values: Object.fromEntries(expanded), secrets: [...secrets] }
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
