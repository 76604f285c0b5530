// Subscribers to events: the RPC servers of the edges, once they listen.
import type { Edge, gatewayBroker, gatewayChannels, gatewayControlPlane, gatewayModelProxy, gatewayRunner } from '@gatehouse/contracts'
import type { EdgeServer } from '@gatehouse/rpc'

type Publish<E extends Edge> = EdgeServer<E>['publish']

export interface Subscribers {
  readonly controlPlane: Publish<typeof gatewayControlPlane>
  readonly broker: Publish<typeof gatewayBroker>
  readonly modelProxy: Publish<typeof gatewayModelProxy>
  readonly runner: Publish<typeof gatewayRunner>
  readonly channels: Publish<typeof gatewayChannels>
}

/** Subscribers that are missing receive nothing. */
export interface Listeners {
  readonly controlPlane?: Pick<EdgeServer<typeof gatewayControlPlane>, 'publish'> | undefined
  readonly broker?: Pick<EdgeServer<typeof gatewayBroker>, 'publish'> | undefined
  readonly modelProxy?: Pick<EdgeServer<typeof gatewayModelProxy>, 'publish'> | undefined
  readonly runner?: Pick<EdgeServer<typeof gatewayRunner>, 'publish'> | undefined
  readonly channels?: Pick<EdgeServer<typeof gatewayChannels>, 'publish'> | undefined
}

export interface SubscriberRegistry extends Subscribers {
  /** Adds subscribers. Called before their server accepts connections, so that no connected process misses an event. */
  subscribe(listeners: Listeners): void
}

export const createSubscribers = (): SubscriberRegistry => {
  let current: Listeners = {}
  return {
    controlPlane: (event, payload) => current.controlPlane?.publish(event, payload),
    broker: (event, payload) => current.broker?.publish(event, payload),
    modelProxy: (event, payload) => current.modelProxy?.publish(event, payload),
    runner: (event, payload) => current.runner?.publish(event, payload),
    channels: (event, payload) => current.channels?.publish(event, payload),
    subscribe: (listeners) => {
      current = { ...current, ...listeners }
    },
  }
}
