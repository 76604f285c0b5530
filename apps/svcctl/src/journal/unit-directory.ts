// The state directory on this host that a command means. Where a unit is addressed, it is the one that this unit holds and no other, so
// that no unit is vouched for by the files of another.
import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isServiceError, stateFiles, type UnitIdentity } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Environment } from '../command.ts'
import type { Unit } from '../connection/unit.ts'

export interface DirectoryQuery {
  readonly address: string
  /** Somebody named the address; else it is the default one. */
  readonly addressGiven: boolean
  /** Undefined where nobody was asked. */
  readonly unit: Unit | undefined
  /** Named by somebody. */
  readonly named: string | undefined
  /** Of this host, by default. */
  readonly usual: readonly string[]
}

export type UnitDirectory =
  /** The one that the unit holds. */
  | { readonly status: 'proven'; readonly directory: string }
  /** Named, and no unit could be compared. */
  | { readonly status: 'named'; readonly directory: string; readonly why: string }
  /** The only one at the default places, and no unit answers at the default address. */
  | { readonly status: 'only'; readonly directory: string }
  /** The directory of another unit, or none of this host: nothing is read. */
  | { readonly status: 'refused'; readonly why: string }
  | { readonly status: 'unknown'; readonly why: string }

const StateFile = v.pipe(v.string(), v.parseJson(), v.looseObject({ installation: v.string() }))

const installationIn = async (directory: string): Promise<string | undefined> => {
  const parsed = v.safeParse(StateFile, await readFile(join(directory, stateFiles.state), 'utf8').catch(() => ''))
  return parsed.success ? parsed.output.installation : undefined
}

/** Of two hosts, directories may have the same numbers; of one host, copies the same installation. */
const isHeld = async (directory: string, { installation, device, inode }: UnitIdentity): Promise<boolean> => {
  const found = await stat(directory, { bigint: true }).catch(() => undefined)
  if (found === undefined || String(found.dev) !== device || String(found.ino) !== inode) return false
  return (await installationIn(directory)) === installation
}

const ofAnswering = async (address: string, identity: UnitIdentity, named: string | undefined): Promise<UnitDirectory> => {
  const directory = named ?? identity.stateDir
  if (await isHeld(directory, identity)) return { status: 'proven', directory }
  const own = `${identity.stateDir} (installation ${identity.installation})`
  return named === undefined
    ? { status: 'unknown', why: `the unit at ${address} holds ${own}, which is not on this host or cannot be read` }
    : { status: 'refused', why: `${named} is not the state directory of the unit at ${address}, which holds ${own}` }
}

const reasonOf = (error: unknown): string => (isServiceError(error) ? error.detail : String(error))

const ofSilent = ({ address, addressGiven, named, usual }: DirectoryQuery, error: unknown): UnitDirectory => {
  const why = `not compared with the unit at ${address}: ${reasonOf(error)}`
  if (named !== undefined) return { status: 'named', directory: named, why }
  const answers = isServiceError(error) && error.code === 'unauthorized'
  if (addressGiven || answers) return { status: 'unknown', why }
  const [only, ...others] = usual
  if (only !== undefined && others.length === 0) return { status: 'only', directory: only }
  const found = only === undefined ? 'none is on this host' : `this host has ${usual.join(' and ')}`
  return { status: 'unknown', why: `no unit answers at ${address}, and ${found}` }
}

export const findUnitDirectory = async (question: DirectoryQuery): Promise<UnitDirectory> => {
  const { address, unit, named } = question
  if (unit === undefined && named !== undefined) return { status: 'named', directory: named, why: 'no unit was asked' }
  if (unit === undefined) return ofSilent(question, 'it was not asked')
  if (!unit.reached) return ofSilent(question, unit.error)
  const { identity } = unit.status
  if (identity === undefined) return ofSilent({ ...question, addressGiven: true }, 'it does not say which directory it holds')
  return ofAnswering(address, identity, named)
}

/** The default state directories of the three modes. */
export const stateDirectories = (environment: Environment): string[] => {
  const own = environment['XDG_STATE_HOME'] || join(homedir(), '.local/state')
  return ['/var/lib/gatehouse/state', join(own, 'gatehouse-dev'), join(own, 'gatehouse-demo')]
}
