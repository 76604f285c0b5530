// svcctl files get
import { limits, ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { lastName, locate, refuseTaken, writeLocal } from '../../files/transfer.ts'
import { visible, visibleLines } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

const Fetched = v.strictObject({ file: v.nullable(v.string()), bytes: v.number() })
type Fetched = v.InferOutput<typeof Fetched>

export class FilesGet extends UnitCommand<Fetched> {
  static override summary = 'Fetch a file of an agent group.'
  static override description = `Written whole or not at all, with mode 0600, into this directory under its own name; never over a file that is there, unless --force says so. With --out - it goes to standard output, which at a terminal shows what it would obey or hide. At most ${limits.file / 1024 / 1024} MiB.`

  static override result = Fetched
  static override examples = [
    'svcctl files get dev-agent /workspace/report.md --out fetched.md --force',
    'svcctl files get dev-agent report.md --out -',
  ]

  static override args = {
    group: Args.string({ description: 'Agent group.', required: true }),
    path: Args.string({ description: 'Path of the file, as the agent sees it.', required: true }),
  }

  static override flags = {
    out: Flags.string({ summary: 'Where to write it; - for standard output.', helpValue: 'PATH' }),
    force: Flags.boolean({ summary: 'Write over a file that is there.' }),
  }

  async run(): Promise<Fetched> {
    const { args, flags } = await this.parse(FilesGet)
    const at = locate(args.path)
    const out = flags.out ?? this.nameOf(at.path)
    if (out !== '-') await refuseTaken(out, flags.force)
    const client = await this.connect(flags)
    const group = await this.resolveID('group', args.group)
    const bytes = await client.files.get(group, at)
    if (out === '-') return this.show(bytes)
    await writeLocal(out, bytes, flags.force)
    this.remark(`Wrote ${bytes.length} bytes to ${visible(out)}.`)
    return { file: out, bytes: bytes.length }
  }

  /** A name that an agent chose is no name for a file of this machine where it hides something. */
  private nameOf(path: string): string {
    const name = lastName(path)
    if (name !== '' && name !== '-' && visible(name) === name) return name
    throw new ServiceError('invalid', {
      detail: 'expected the name of a file that hides nothing, got another',
      hint: 'name a file with --out',
    })
  }

  private show(bytes: Uint8Array): Fetched {
    if (!this.jsonEnabled()) process.stdout.write(this.toPeople ? visibleLines(new TextDecoder().decode(bytes)) : bytes)
    return { file: null, bytes: bytes.length }
  }
}
