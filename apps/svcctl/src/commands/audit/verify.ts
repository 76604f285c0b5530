// svcctl audit verify: on the host, offline, without a token.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ServiceError, stateFiles } from '@gatehouse/contracts'
import * as v from 'valibot'
import { Flags } from '@oclif/core'
import { SvcctlCommand } from '../../command.ts'
import { readHead } from '../../journal/read-head.ts'
import { findJournal } from '../../journal/find-journal.ts'

const Verified = v.strictObject({
  file: v.string(),
  lines: v.number(),
  head: v.strictObject({ seq: v.number(), hash: v.string() }),
  /** Whether the signatures of checkpoints could be checked. */
  signatures: v.boolean(),
})
type Verified = v.InferOutput<typeof Verified>

export class AuditVerify extends SvcctlCommand<Verified> {
  static override summary = 'Check the chain of hashes of a journal, without a unit.'
  static override description =
    'Also checks the signatures of checkpoints if journal.pub lies beside the journal. A head that was kept elsewhere shows a journal that was cut. Ends with 5 and names the first bad line if there is one.'

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
    const key = join(dirname(file), stateFiles.journalKey)
    const signatures = existsSync(key)
    const { verifyJournal } = await import('@gatehouse/journal')
    const verdict = await verifyJournal({ path: file, publicKeyPath: signatures ? key : undefined, head })
    if (!verdict.ok) {
      throw new ServiceError('conflict', {
        detail: `${file}: line ${verdict.line} is bad: ${verdict.reason}`,
        extra: { line: String(verdict.line) },
      })
    }
    if (!signatures) this.say(`The signatures were not checked: there is no ${key}.`)
    this.print(`ok: ${verdict.lines} lines, head seq ${verdict.head.seq} hash ${verdict.head.hash}`)
    return { file, lines: verdict.lines, head: verdict.head, signatures }
  }
}
