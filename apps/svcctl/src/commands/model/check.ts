// svcctl model check
import { codes, ProviderCheck } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ModelCheck extends UnitCommand<ProviderCheck> {
  static override summary = 'Ask a provider of models whether it takes the key of this unit.'
  static override description = 'Takes no tokens. Ends with 7 if the provider refuses the key or cannot be reached.'
  static override result = ProviderCheck
  static override examples = ['svcctl model check anthropic', 'svcctl model check compatible --json']

  static override args = { provider: Args.string({ description: 'Name of the provider.', required: true }) }

  async run(): Promise<ProviderCheck> {
    const { args, flags } = await this.parse(ModelCheck)
    const client = await this.connect(flags)
    const result = await client.models.check(args.provider)
    this.print(`${result.provider}: ${visible(result.detail)} (${result.elapsedMs} ms)`)
    if (!result.reachable || result.keyAccepted === false) process.exitCode = codes['upstream-failed'].exit
    return result
  }
}
