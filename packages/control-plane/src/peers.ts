// The other processes of the unit, as the control plane sees them.
import type {
  brokerControlPlane,
  channelsControlPlane,
  gatewayControlPlane,
  modelProxyControlPlane,
  runnerControlPlane,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import type { Calls } from '@gatehouse/rpc'

/** The processes that the control plane may call. It holds no secret and no power of its own. */
export interface Peers {
  readonly gateway: Calls<typeof gatewayControlPlane>
  readonly runner: Calls<typeof runnerControlPlane>
  readonly supervisor: Calls<typeof supervisorControlPlane>
  /** Null on a unit without tool servers. */
  readonly broker: Calls<typeof brokerControlPlane> | null
  /** Null on a unit without a key for any provider of models. */
  readonly modelProxy: Calls<typeof modelProxyControlPlane> | null
  /** Null on a unit without credentials of any channel. */
  readonly channels: Calls<typeof channelsControlPlane> | null
  gatewayConnected(): boolean
}
