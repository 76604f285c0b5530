// Resolves a package of PyPI with the hashes of all it needs, and fetches the wheels. Source distributions, which would run code when
// they are built, are refused.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import type { Python } from './python.ts'
import { runUv, type Uv } from './uv.ts'

export interface PythonSpec {
  /** With extras, as `name[extra]`. */
  readonly requirement: string
  readonly name: string
  /** Absent: not named. */
  readonly version: string | undefined
}

const specPattern = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(\[[A-Za-z0-9._,-]+\])?(?:@(\d[A-Za-z0-9.!+_-]*))?$/

/** `<name>[extras]@<exact version>`, without `pypi:`. Throws `invalid`. */
export const parsePythonSpec = (text: string): PythonSpec => {
  const [, name, extras = '', version] = specPattern.exec(text) ?? []
  if (name === undefined)
    throw new ServiceError('invalid', {
      detail: `expected pypi:<name>@<exact version>, got ${JSON.stringify(`pypi:${text}`)}`,
      hint: 'such as pypi:mcp-server-time@2026.10.19',
    })
  return { requirement: `${name}${extras}`, name, version }
}

/** Names are compared as registries do. */
export const normalName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')

const hint = (reason: string): string | undefined => {
  if (/no usable wheels|building from source is disabled/.test(reason))
    return 'only wheels are packed, since building a source distribution would run its code: make an image of it yourself, and pack that by oci:'
  if (/matching platform tag|matching Python (?:ABI|version) tag|Requires-Python|depends on Python/i.test(reason))
    return 'it has no wheel for this machine and Python: make an image of it yourself, and pack that by oci:'
  return /no version of|not found in the package registry/.test(reason)
    ? 'check the name and the version; pypi:<name> tells the newest'
    : undefined
}

export interface Lock {
  readonly file: string
  /** Of the requested package. */
  readonly version: string
}

/** A requirements file with hashes, below `work`. */
export const resolveWheels = async (
  uv: Uv,
  spec: PythonSpec,
  { python, work }: { readonly python: Python; readonly work: string },
): Promise<Lock> => {
  const { requirement, name, version } = spec
  const [wanted, file] = [join(work, 'requirements.in'), join(work, 'requirements.txt')]
  await writeFile(wanted, `${requirement}${version === undefined ? '' : `==${version}`}\n`)
  const args = [
    'pip',
    'compile',
    wanted,
    '--generate-hashes',
    '--only-binary',
    ':all:',
    '--python',
    python.program,
    '--no-python-downloads',
  ]
  await runUv(uv, [...args, '--no-header', '--no-annotate', '--quiet', '--output-file', file], {
    what: `${requirement}${version === undefined ? '' : `@${version}`} cannot be packed`,
    hint,
  })
  const found = [...(await readFile(file, 'utf8')).matchAll(/^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)/gm)].find(
    ([, each = '']) => normalName(each) === normalName(name),
  )
  return { file, version: found?.[2] ?? version ?? '' }
}

/** Every wheel compared with its hash and unpacked into `target`; nothing is compiled or run. */
export const fetchWheels = async (
  uv: Uv,
  lock: Lock,
  { python, target }: { readonly python: Python; readonly target: string },
): Promise<void> => {
  const args = ['pip', 'install', '--requirements', lock.file, '--require-hashes', '--no-deps', '--only-binary', ':all:']
  await runUv(
    uv,
    [...args, '--python', python.program, '--no-python-downloads', '--target', target, '--link-mode', 'copy', '--no-compile-bytecode'],
    {
      what: 'the packages cannot be fetched',
    },
  )
}
