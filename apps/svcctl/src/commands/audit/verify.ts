// svcctl audit verify: on the host, offline. Where a unit is addressed, it is asked which directory is its own.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Digest, ServiceError, stateFiles } from '@gatehouse/contracts'
import type { Head } from '@gatehouse/journal'
import type { DatabaseComparison } from '@gatehouse/journal/offline'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { askUnit } from '../../connection/unit.ts'
import { findUnitDirectory, stateDirectories, type UnitDirectory } from '../../journal/unit-directory.ts'
import { wrap } from '../../output/table.ts'
import { UnitCommand, type UnitFlags } from '../../unit-command.ts'

/** A head of a journal that somebody kept elsewhere. */
const HeadFile = v.object({ seq: v.pipe(v.number(), v.integer(), v.minValue(0)), hash: Digest })

/** Alone, or as `svcctl audit verify --json` prints it among the rest. */
const Kept = v.union([
  HeadFile,
  v.pipe(
    v.object({ head: HeadFile }),
    v.transform(({ head }) => head),
  ),
])

const readHead = async (path: string): Promise<Head> => {
  try {
    return v.parse(Kept, JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new ServiceError('invalid', {
      detail: `expected {"seq": …, "hash": …} in ${path}`,
      hint: 'such as svcctl audit verify --json prints',
      cause: error,
    })
  }
}

const Verified = v.strictObject({
  file: v.string(),
  /** Whether the unit at the address said that it holds this directory. */
  unit: v.boolean(),
  lines: v.number(),
  head: v.strictObject({ seq: v.number(), hash: v.string() }),
  /** Whether the signatures of checkpoints were checked. */
  signatures: v.boolean(),
  /** Whether the journal holds the last line that the database beside it holds. */
  database: v.boolean(),
  /** Whether the journal holds the head that was given. */
  headGiven: v.boolean(),
})
type Verified = v.InferOutput<typeof Verified>

/** Without the database, or a head that was kept elsewhere, a journal that was cut looks like a shorter one. */
const assertCompared = (file: string, database: DatabaseComparison): void => {
  if (database.status !== 'failed') return
  throw new ServiceError('unavailable', {
    detail: `${file} was not verified: the chain holds, but it was not compared with the database. ${database.error.detail}`,
    hint: `${database.error.hint ?? 'run this as the user of the unit'}; or give a head that was kept elsewhere: --head FILE`,
    cause: database.error,
  })
}

interface Wanted {
  readonly file: string | undefined
  readonly stateDir: string | undefined
  /** The address was named. */
  readonly given: boolean
}

type Readable = Exclude<UnitDirectory, { status: 'refused' | 'unknown' }>

const readable = (place: UnitDirectory): Readable => {
  if (place.status === 'refused')
    throw new ServiceError('conflict', { detail: place.why, hint: 'name the directory of that unit, or another --addr' })
  if (place.status === 'unknown')
    throw new ServiceError('not-found', { detail: place.why, hint: 'name the state directory: --state-dir DIR' })
  return place
}

const origin = (place: Readable, address: string): string => {
  if (place.status === 'proven') return `of the unit at ${address}`
  return place.status === 'named' ? place.why : 'of the only unit of this host; none answers'
}

const words = ({ signatures, database, headGiven }: Verified): string => {
  const parts: readonly (readonly [boolean, string])[] = [
    [true, 'the chain of hashes'],
    [signatures, 'the signatures of checkpoints'],
    [database, 'the last line in the database'],
    [headGiven, 'the head that was given'],
  ]
  const listed = (wanted: boolean): string => parts.flatMap(([was, part]) => (was === wanted ? [part] : [])).join(', ')
  const missing = listed(false)
  return missing === '' ? `Checked: ${listed(true)}.` : `Checked: ${listed(true)}. Not checked: ${missing}.`
}

export class AuditVerify extends UnitCommand<Verified> {
  static override summary = 'Verify the audit log of a state directory, without a unit.'
  static override description =
    'Where a unit is addressed or answers at the default address, it is asked which state directory it holds, and another one is refused. Checks the chain of hashes, the signatures of checkpoints if journal.pub lies beside the journal, and that the journal holds the last line that the database of the state directory holds. That needs the master key: run it as the user of the unit. A head that was kept elsewhere also shows a whole directory that was rolled back. Prints what was checked and what was not. Ends with 5 and names the first bad line if there is one, with 9 if the database could not be read and no head was given.'

  static override result = Verified
  static override examples = ['svcctl audit verify --state-dir state', 'svcctl audit verify --file audit.jsonl --head head.json']

  static override flags = {
    'state-dir': Flags.string({
      summary: 'State directory; default the one that the unit at the address holds.',
      helpValue: 'DIR',
      env: 'SERVICE_STATE_DIR',
      exclusive: ['file'],
    }),
    file: Flags.string({ summary: 'Journal, its rotated files beside it.', helpValue: 'PATH' }),
    head: Flags.string({ summary: 'File with {"seq": …, "hash": …} that the journal must hold.', helpValue: 'PATH' }),
  }

  async run(): Promise<Verified> {
    const { flags, metadata } = await this.parse(AuditVerify)
    const given = metadata.flags.addr?.setFromDefault !== true
    const place = await this.place(flags, { file: flags.file, stateDir: flags['state-dir'], given })
    const file = flags.file ?? join(place.directory, stateFiles.audit)
    const head = flags.head === undefined ? undefined : await readHead(flags.head)
    const { verifyBeside } = await import('@gatehouse/journal/offline')
    const keyFile = this.environment['SERVICE_MASTER_KEY_FILE'] || undefined
    const { verdict, signatures, database } = await verifyBeside({ path: file, keyFile, known: head === undefined ? [] : [head] })
    if (!verdict.ok) {
      throw new ServiceError('conflict', {
        detail: `${file}: line ${verdict.line} is bad: ${verdict.reason}`,
        extra: { line: String(verdict.line) },
      })
    }
    if (head === undefined) assertCompared(file, database)
    const { lines, head: last } = verdict
    const verified = {
      file,
      unit: place.status === 'proven',
      lines,
      head: last,
      signatures,
      database: database.status === 'compared',
      headGiven: head !== undefined,
    }
    this.print(`ok: ${lines} lines, head seq ${last.seq} hash ${last.hash}`)
    this.say(wrap(`Read ${file}, ${origin(place, flags.addr)}.`, 0, process.stderr))
    this.say(wrap(words(verified), 0, process.stderr))
    return verified
  }

  private async place(flags: UnitFlags, { file, stateDir, given }: Wanted): Promise<Readable> {
    const named = file === undefined ? stateDir : dirname(file)
    const asks = file === undefined && (given || named === undefined)
    const where = { environment: this.environment, address: flags.addr, tokenFile: flags['token-file'], insecure: flags['insecure-http'] }
    const usual = stateDirectories(this.environment).filter((path) => existsSync(join(path, stateFiles.audit)))
    const unit = asks ? await askUnit(where) : undefined
    return readable(await findUnitDirectory({ address: flags.addr, addressGiven: given, unit, named, usual }))
  }
}
