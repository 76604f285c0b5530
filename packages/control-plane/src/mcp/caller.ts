// Whose request it is: the digest of the presented token, which the gateway and the broker judge, and what goes with each call.
import type { Digest } from '@gatehouse/contracts'
import type { CallOptions } from '@gatehouse/rpc'
import type { Unit } from '../env.ts'

export interface McpCaller {
  readonly unit: Unit
  readonly token: Digest
  readonly call: CallOptions
}
