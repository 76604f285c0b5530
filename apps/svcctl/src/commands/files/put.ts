// svcctl files put
import { basename } from 'node:path'
import { limits, PutFile } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { lastName, locate, readLocal } from '../../files/transfer.ts'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

export class FilesPut extends UnitCommand<PutFile> {
  static override summary = 'Give an agent group a file.'
  static override description = `It is there for the agent whole or not at all; a file of that name is written over, directories on the way are made. The journal keeps who gave what, by its digest. At most ${limits.file / 1024 / 1024} MiB.`

  static override result = PutFile
  static override examples = [
    'svcctl files put dev-agent gatehouse.yaml',
    'svcctl files put dev-agent gatehouse.yaml /workspace/in/unit.yaml',
  ]

  static override args = {
    group: Args.string({ description: 'Agent group.', required: true }),
    file: Args.string({ description: 'File of this machine.', required: true }),
    path: Args.string({ description: 'Where the agent finds it; default its own name in /workspace. With / at its end: the directory.' }),
  }

  async run(): Promise<PutFile> {
    const { args, flags } = await this.parse(FilesPut)
    const target = args.path ?? '/workspace/'
    const at = locate(target.endsWith('/') ? `${target}${basename(args.file)}` : target)
    const bytes = await readLocal(args.file)
    const client = await this.connect(flags)
    const group = await this.resolveID('group', args.group)
    const put = await client.files.put(group, { ...at, bytes })
    this.remark(`Gave ${visible(lastName(put.path))}: ${put.bytes} bytes at /${put.place}/${visible(put.path)}.`)
    return put
  }
}
