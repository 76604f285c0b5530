// Starts uv, the one program that resolves and downloads Python packages, with the settings that a person has for registries.
import { access, constants } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'

type Environment = Readonly<Record<string, string | undefined>>

export interface Uv {
  readonly file: string
  /** Registries, proxies and certificates of the environment; nothing that changes what is resolved or verified. */
  readonly env: Readonly<Record<string, string>>
}

const passed =
  /^(?:UV_(?:INDEX.*|DEFAULT_INDEX|EXTRA_INDEX_URL|KEYRING_PROVIDER|NATIVE_TLS|SYSTEM_CERTS|HTTP_.*|PYTHON_INSTALL_MIRROR|CONFIG_FILE)|SSL_CERT_(?:FILE|DIR)|SSL_CLIENT_CERT|(?:HTTPS?|ALL|NO)_PROXY|NETRC|HOME|XDG_CONFIG_HOME|XDG_CACHE_HOME|TMPDIR|LANG)$/i

/** Settings of pip that uv has under another name. */
const fromPip: Readonly<Record<string, string>> = {
  PIP_INDEX_URL: 'UV_DEFAULT_INDEX',
  PIP_EXTRA_INDEX_URL: 'UV_INDEX',
  PIP_CERT: 'SSL_CERT_FILE',
}

const settingsOf = (environment: Environment): Record<string, string> => {
  const settings = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && passed.test(name) ? [[name, value]] : [],
  )
  const pip = Object.entries(fromPip).flatMap(([name, other]): [string, string][] => {
    const value = environment[name]
    return value === undefined || value === '' ? [] : [[other, value]]
  })
  return Object.fromEntries([...pip, ...settings])
}

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Looks in PATH, then where uv's installer puts it. Throws `invalid` with how to install it. */
export const findUv = async (environment: Environment): Promise<Uv> => {
  const home = environment['HOME']
  const directories = [...(environment['PATH'] ?? '').split(':'), ...(home === undefined ? [] : [join(home, '.local/bin')])]
  for (const directory of directories.filter((each) => isAbsolute(each))) {
    const file = join(directory, 'uv')
    if (await isProgram(file)) return { file, env: { ...settingsOf(environment), PATH: '/usr/bin:/bin' } }
  }
  throw new ServiceError('invalid', {
    detail: 'expected the program uv, which resolves packages of PyPI, got none in PATH',
    hint: 'install it: pip install uv (or pipx install uv); see https://docs.astral.sh/uv',
  })
}

const timeLimit = 10 * 60_000

/** Its words in one line, without the ends that only uv's own users can act on. */
export const reasonOf = (stderr: string): string =>
  stderr
    .split('\n')
    .map((line) => line.replace(/^\s*(?:error|cause|hint|×|╰─▶|├─▶|│)?:?\s*/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('No solution found'))
    .join(' ')
    .replaceAll(/,? we can conclude that your requirements are unsatisfiable\./g, '')
    .replaceAll(/ and you require \S+?(?=[,.\s]|$)/g, '')
    .slice(0, 1000)

/** What uv prints on stdout. Throws `invalid` with its reason and the hint. */
export const runUv = async (
  { file, env }: Uv,
  args: readonly string[],
  { what, hint }: { readonly what: string; readonly hint?: (reason: string) => string | undefined },
): Promise<string> => {
  const { failed, stdout, stderr, shortMessage } = await execa(file, [...args, '--color', 'never', '--no-progress'], {
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: timeLimit,
    cwd: '/',
  })
  if (!failed) return stdout
  const reason = reasonOf(stderr) || (shortMessage ?? 'uv failed')
  throw new ServiceError('invalid', { detail: `${what}: ${reason}`, hint: hint?.(stderr) })
}
