// svcctl export
import * as v from 'valibot'
import { UnitCommand } from '../unit-command.ts'

const Exported = v.looseObject({ version: v.literal(1) })
type Exported = v.InferOutput<typeof Exported>

export class Export extends UnitCommand<Exported> {
  static override summary = 'Print the groups, grants, wirings and tool servers of a unit as gatehouse.yaml.'
  static override description =
    'svcctl apply takes it back. Stored values of variables and headers are masked: a mask stands for what is stored, so write ${NAME} or the value before you apply it to another unit.'
  static override result = Exported
  static override examples = ['svcctl export', 'svcctl export --json']

  async run(): Promise<Exported> {
    const { flags } = await this.parse(Export)
    const client = await this.connect(flags)
    const { buildDeclaration, readUnit, toYaml } = await import('../declaration/current.ts')
    const declaration = buildDeclaration(await readUnit(client))
    if (!this.jsonEnabled()) this.print(toYaml(declaration))
    return { ...declaration, version: 1 }
  }
}
