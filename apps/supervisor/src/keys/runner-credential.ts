// What the half of a split unit that has the master key gives the other: the subkey of queues, and the secrets of the edges between them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  exits,
  gatewayRunner,
  jsonBounds,
  lifeEdge,
  runnerBackup,
  runnerBroker,
  runnerChannels,
  runnerControlPlane,
  RunnerCredential,
  runnerCredentialFile,
} from '@gatehouse/contracts'
import { deriveKey, type Epoch, jsonText, Refusal, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type Epochs, newestOf, subkeysOf } from './keyring.ts'

const edges = [gatewayRunner, runnerControlPlane, runnerBroker, runnerChannels, runnerBackup, lifeEdge('runner')] as const

/** They last as long as the master key, since each half is started by itself. */
const secretsOf = ({ epoch, key }: Epoch): Record<string, string> =>
  Object.fromEntries(edges.map(({ name }) => [name, deriveKey(key, `edge ${name}`, epoch).toString('hex')]))

/** Below the state directory, mode 0600, for whoever starts the other half. Gives the secrets of the edges between the halves. */
export const writeRunnerCredential = async (
  { stateDir, installation }: { readonly stateDir: string; readonly installation: string },
  epochs: Epochs,
): Promise<Record<string, string>> => {
  const newest = newestOf(epochs)
  const credential: RunnerCredential = {
    installation,
    gid: process.getegid?.() ?? -1,
    stateDir,
    queues: subkeysOf(newest).queues,
    edges: secretsOf(newest),
  }
  await writeAtomically(join(stateDir, runnerCredentialFile), `${JSON.stringify(credential)}\n`)
  return credential.edges
}

/** As systemd names what `LoadCredential=gatehouse-runner:…` loads. */
const credentialName = 'gatehouse-runner'

const refuse = (detail: string): Refusal =>
  new Refusal(exits.configuration, {
    detail,
    hint: `start the other half first, and load ${runnerCredentialFile} of its state directory as the credential ${credentialName}`,
  })

/** `Refusal` 78 where there is none, or where this process is not of the group of the other half. */
export const readRunnerCredential = async (directory: string | undefined): Promise<RunnerCredential> => {
  if (directory === undefined || directory === '') throw refuse('expected CREDENTIALS_DIRECTORY, got none')
  const path = join(directory, credentialName)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw refuse(
      `expected a credential that can be read at ${path}, got ${cause instanceof Error && 'code' in cause ? String(cause.code) : 'none'}`,
    )
  })
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), RunnerCredential), text)
  if (!parsed.success) throw refuse(`${path}: expected what the other half of this release wrote, got something else`)
  const { gid } = parsed.output
  if (gid === process.getegid?.()) return parsed.output
  throw new Refusal(exits.configuration, {
    detail: `expected the group ${gid}, that of the other half, got ${process.getegid?.()}: neither could reach the other`,
    hint: `start both halves with the group ${gid}`,
  })
}
