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

/** One that is not there yet, or never is on this unit, hears nothing. */
export interface Listeners {
  readonly controlPlane?: Pick<EdgeServer<typeof gatewayControlPlane>, 'publish'> | undefined
  readonly broker?: Pick<EdgeServer<typeof gatewayBroker>, 'publish'> | undefined
  readonly modelProxy?: Pick<EdgeServer<typeof gatewayModelProxy>, 'publish'> | undefined
  readonly runner?: Pick<EdgeServer<typeof gatewayRunner>, 'publish'> | undefined
  readonly channels?: Pick<EdgeServer<typeof gatewayChannels>, 'publish'> | undefined
}

export interface SubscriberRegistry extends Subscribers {
  /** Each takes its seat before it can be reached: who has connected misses nothing. */
  subscribe(listeners: Listeners): void
}

export const createSubscribers = (): SubscriberRegistry => {
  let seated: Listeners = {}
  return {
    controlPlane: (event, payload) => seated.controlPlane?.publish(event, payload),
    broker: (event, payload) => seated.broker?.publish(event, payload),
    modelProxy: (event, payload) => seated.modelProxy?.publish(event, payload),
    runner: (event, payload) => seated.runner?.publish(event, payload),
    channels: (event, payload) => seated.channels?.publish(event, payload),
    subscribe: (listeners) => {
      seated = { ...seated, ...listeners }
    },
  }
}
