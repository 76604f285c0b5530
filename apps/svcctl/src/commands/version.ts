// svcctl version
import * as v from 'valibot'
import { askUnit } from '../connection/unit.ts'
import { UnitCommand } from '../unit-command.ts'

const Versions = v.strictObject({
  svcctl: v.string(),
  node: v.string(),
  /** Null where the unit does not answer. */
  unit: v.nullable(v.string()),
})
type Versions = v.InferOutput<typeof Versions>

export class Version extends UnitCommand<Versions> {
  static override summary = 'Print the versions of svcctl and of the unit.'
  static override description = 'A unit that does not answer is no failure.'
  static override result = Versions
  static override examples = ['svcctl version', 'svcctl version --jq .unit']

  async run(): Promise<Versions> {
    const { flags } = await this.parse(Version)
    const where = { environment: this.environment, address: flags.addr, tokenFile: flags['token-file'], insecure: flags['insecure-http'] }
    const unit = await askUnit(where)
    const versions = { svcctl: this.config.version, node: process.versions.node, unit: unit.reached ? unit.status.version : null }
    this.print(`svcctl  ${versions.svcctl} (Node ${versions.node})\nunit    ${versions.unit ?? `does not answer at ${flags.addr}`}`)
    return versions
  }
}
