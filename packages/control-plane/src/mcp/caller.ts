// The caller of an MCP request: the token digest, which the gateway and the broker check, and the context of each call.
import type { Digest } from '@gatehouse/contracts'
import type { CallOptions } from '@gatehouse/rpc'
import type { Unit } from '../env.ts'

export interface McpCaller {
  readonly unit: Unit
  readonly token: Digest
  readonly call: CallOptions
}
