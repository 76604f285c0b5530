// svcctl restore: on the host, with the unit stopped, without a token.
import { ServiceError } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { readPassphrase } from '../backup/download.ts'
import { SvcctlCommand } from '../command.ts'
import { withProgress } from '../output/progress.ts'

const Restored = v.strictObject({
  stateDir: v.string(),
  installation: v.string(),
  mode: v.string(),
  /** When the backup was taken. */
  createdAt: v.string(),
  head: v.strictObject({ seq: v.number(), hash: v.string() }),
  files: v.number(),
  bytes: v.number(),
  /** Where the catalog lay, when that was outside of the state directory. */
  catalog: v.nullable(v.string()),
})
type Restored = v.InferOutput<typeof Restored>

export class Restore extends SvcctlCommand<Restored> {
  static override summary = 'Restore a backup into an empty state directory of this host.'
  static override description =
    'Looks at the whole archive before it writes a byte, writes aside, then renames. The unit that starts on it is frozen: a restore revives what was revoked, so look through tokens and grants and lift it with svcctl unfreeze.'

  static override result = Restored
  static override examples = [
    'svcctl restore backup.age --identity key.txt --state-dir restored',
    'svcctl restore secret.age --passphrase-file passphrase --state-dir elsewhere',
  ]

  static override args = { file: Args.string({ description: 'What svcctl backup wrote.', required: true }) }

  static override flags = {
    identity: Flags.string({
      summary: 'File with identities that open it; may be given several times.',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'passphrase-file': Flags.string({ summary: 'File whose first line is the passphrase.', helpValue: 'PATH' }),
    'state-dir': Flags.string({
      summary: 'State directory: empty, or not there.',
      helpValue: 'DIR',
      env: 'SERVICE_STATE_DIR',
      default: '/var/lib/gatehouse/state',
    }),
    'master-key-file': Flags.string({
      summary: 'The master key, where it was kept outside of the state.',
      helpValue: 'PATH',
      env: 'SERVICE_MASTER_KEY_FILE',
    }),
  }

  async run(): Promise<Restored> {
    const { args, flags } = await this.parse(Restore)
    const { readIdentities, restore } = await import('@gatehouse/archive')
    try {
      const identities = (await Promise.all((flags.identity ?? []).map((path) => readIdentities(path)))).flat()
      const file = flags['passphrase-file']
      const passphrase = file === undefined ? undefined : await readPassphrase(file)
      if (identities.length === 0 && passphrase === undefined)
        throw new ServiceError('invalid', { detail: 'expected --identity or --passphrase-file, which open the archive' })
      const stateDir = flags['state-dir']
      const masterKeyFile = flags['master-key-file'] ?? null
      const { manifest, files, bytes } = await withProgress('Restoring', () =>
        restore({ file: args.file, opener: { identities, passphrase }, stateDir, masterKeyFile }),
      )
      const { installation, mode, createdAt, head, catalog } = manifest
      this.print(stateDir)
      this.say(`Restored the backup of ${createdAt}, up to line ${head.seq} of its journal. The unit will be frozen when it starts.`)
      if (catalog !== null) this.say(`Its catalog lay at ${catalog}; it is mcp-catalog.json of the state directory now.`)
      return { stateDir, installation, mode, createdAt, head, files, bytes, catalog }
    } catch (error) {
      if (isRefusal(error)) throw new ServiceError('conflict', { detail: error.detail, hint: error.hint, cause: error })
      throw error
    }
  }
}
