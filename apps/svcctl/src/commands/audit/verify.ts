// svcctl audit verify: on the host, offline, without a token.
import { ServiceError } from '@gatehouse/contracts'
import type { DatabaseComparison } from '@gatehouse/journal/offline'
import * as v from 'valibot'
import { Flags } from '@oclif/core'
import { SvcctlCommand } from '../../command.ts'
import { readHead } from '../../journal/read-head.ts'
import { findJournal } from '../../journal/find-journal.ts'

const Verified = v.strictObject({
  file: v.string(),
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

const words = ({ signatures, database, headGiven }: Verified): string => {
  const parts: readonly (readonly [boolean, string])[] = [
    [true, 'the chain of hashes'],
    [signatures, 'the signatures of checkpoints'],
    [database, 'the last line that the database holds'],
    [headGiven, 'the head that was given'],
  ]
  const listed = (wanted: boolean): string => parts.flatMap(([was, part]) => (was === wanted ? [part] : [])).join(', ')
  const missing = listed(false)
  return missing === '' ? `Checked: ${listed(true)}.` : `Checked: ${listed(true)}. Not checked: ${missing}.`
}

export class AuditVerify extends SvcctlCommand<Verified> {
  static override summary = 'Verify the audit log of a state directory, without a unit.'
  static override description =
    'Checks the chain of hashes, the signatures of checkpoints if journal.pub lies beside the journal, and that the journal holds the last line that the database of the state directory holds. That needs the master key: run it as the user of the unit. A head that was kept elsewhere also shows a whole directory that was rolled back. Prints what was checked and what was not. Ends with 5 and names the first bad line if there is one, with 9 if the database could not be read and no head was given.'

  static override result = Verified
  static override examples = ['svcctl audit verify --state-dir state', 'svcctl audit verify --file audit.jsonl --head head.json']

  static override flags = {
    'state-dir': Flags.string({
      summary: 'State directory; default the one of this host.',
      helpValue: 'DIR',
      env: 'SERVICE_STATE_DIR',
      exclusive: ['file'],
    }),
    file: Flags.string({ summary: 'Journal, its rotated files beside it.', helpValue: 'PATH' }),
    head: Flags.string({ summary: 'File with {"seq": …, "hash": …} that the journal must hold.', helpValue: 'PATH' }),
  }

  async run(): Promise<Verified> {
    const { flags } = await this.parse(AuditVerify)
    const file = flags.file ?? findJournal(this.environment, flags['state-dir'])
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
    const verified = { file, lines, head: last, signatures, database: database.status === 'compared', headGiven: head !== undefined }
    this.print(`ok: ${lines} lines, head seq ${last.seq} hash ${last.hash}`)
    this.say(`Read ${file}. ${words(verified)}`)
    return verified
  }
}
