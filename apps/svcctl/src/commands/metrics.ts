// svcctl metrics
import * as v from 'valibot'
import { type Family, FamilySchema, parseExposition } from '../output/exposition.ts'
import { visibleLines } from '../output/values.ts'
import { UnitCommand } from '../unit-command.ts'

export class MetricsShow extends UnitCommand<Family[]> {
  static override summary = 'Print the metrics of a unit.'
  static override description = 'As Prometheus text, or with --json as a list of metrics with their samples.'
  static override result = v.array(FamilySchema)
  static override examples = ['svcctl metrics', 'svcctl metrics --json']

  async run(): Promise<Family[]> {
    const { flags } = await this.parse(MetricsShow)
    const client = await this.connect(flags)
    const text = await client.metrics()
    this.print(visibleLines(text))
    return this.jsonEnabled() ? parseExposition(text) : []
  }
}
