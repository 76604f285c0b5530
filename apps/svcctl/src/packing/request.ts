// What is to be packed: a package or image by its registry, or the command line that a client would start it by.
import { ServiceError } from '@gatehouse/contracts'
import { readLaunch } from '../importing/programs.ts'

export interface PackRequest {
  readonly kind: 'npm' | 'pypi' | 'oci'
  /** Without the kind. */
  readonly spec: string
  /** Program of a package, or entry point of an image, where a command line names it. */
  readonly bin: string | undefined
  readonly args: readonly string[]
}

const words = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )

const split = (text: string): readonly [string, string] => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]

/** `npm:…`, `pypi:…`, `oci:…`, or a command line of `npx`, `uvx` or `docker run` in one argument. Throws `invalid`. */
export const parseRequest = (text: string): PackRequest => {
  const [command = '', ...args] = words(text)
  const launch = args.length === 0 ? undefined : readLaunch({ command, args })
  const [kind, spec] = split(launch?.package ?? text)
  if ((kind === 'npm' || kind === 'pypi' || kind === 'oci') && (launch === undefined || launch.kind === kind))
    return { kind, spec, bin: launch?.bin, args: launch?.args ?? [] }
  throw new ServiceError('invalid', {
    detail: `expected npm:<name>@<exact version>, pypi:<name>@<exact version> or oci:<name>@sha256:<digest>, got ${JSON.stringify(text.slice(0, 200))}`,
    hint: "such as pypi:mcp-server-time@2026.10.19, or the command line 'uvx mcp-server-time@2026.10.19'",
  })
}
