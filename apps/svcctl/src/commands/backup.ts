// svcctl backup
import { existsSync } from 'node:fs'
import { BackupOrder, ServiceError } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { downloadBackup, readPassphrase } from '../backup/download.ts'
import { withProgress } from '../output/progress.ts'
import { UnitCommand } from '../unit-command.ts'

const Kept = v.strictObject({ file: v.string(), bytes: v.number() })
type Kept = v.InferOutput<typeof Kept>

export class Backup extends UnitCommand<Kept> {
  static override summary = 'Take a backup of the whole unit while it runs, encrypted with age.'
  static override description =
    'The archive holds keys and the admin token, so it leaves the unit encrypted: to recipients, whose identities open it, or under a passphrase. It is written to a file of mode 0600 that is there only when it is whole. svcctl restore brings it back.'

  static override result = Kept
  static override examples = [
    'svcctl backup --recipient age1jqtf046pwnrtxeu86rlq6dshvddgwkwzt2nvgwupz7zdsujau5nslc9ewl --out unit.age --force',
    'svcctl backup --passphrase-file passphrase --out unit.age --force',
  ]

  static override flags = {
    recipient: Flags.string({
      summary: 'Recipient that can open it, such as age1…; may be given several times.',
      helpValue: 'AGE',
      multiple: true,
      multipleNonGreedy: true,
      exclusive: ['passphrase-file'],
    }),
    'passphrase-file': Flags.string({ summary: 'File whose first line is the passphrase, instead of recipients.', helpValue: 'PATH' }),
    out: Flags.string({ summary: 'File to write; default the name that the unit gives, here.', helpValue: 'PATH' }),
    force: Flags.boolean({ summary: 'Write over the file.' }),
  }

  async run(): Promise<Kept> {
    const { flags } = await this.parse(Backup)
    if (flags.out !== undefined && !flags.force && existsSync(flags.out))
      throw new ServiceError('conflict', { detail: `${flags.out} is there already`, hint: 'name another file with --out, or add --force' })
    const order = await this.#order(flags.recipient, flags['passphrase-file'])
    const client = await this.connect(flags)
    const { name, body } = await withProgress('Preparing the backup', () => client.backup(order))
    const path = flags.out ?? name
    const bytes = await withProgress('Writing the backup', () => downloadBackup(body, { path, force: flags.force }))
    this.print(path)
    return { file: path, bytes }
  }

  async #order(recipients: string[] | undefined, file: string | undefined): Promise<BackupOrder> {
    const parsed = v.safeParse(
      BackupOrder,
      file === undefined ? { recipients: recipients ?? [] } : { passphrase: await readPassphrase(file) },
    )
    if (parsed.success) return parsed.output
    const detail =
      file === undefined ? 'expected --recipient age1…, or --passphrase-file' : `${file}: expected a passphrase of at least 12 characters`
    throw new ServiceError('invalid', { detail, hint: 'create an identity: age-keygen -o key.txt; the file names its recipient' })
  }
}
