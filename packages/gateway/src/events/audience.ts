// Who hears of what happens: the servers of the edges, once they listen. Nobody there is no error.
import type { gatewayBroker, gatewayChannels, gatewayControlPlane, gatewayModelProxy, gatewayRunner, Edge } from '@gatehouse/contracts'
import type { EdgeServer } from '@gatehouse/rpc'

type Publish<E extends Edge> = EdgeServer<E>['publish']

export interface Audience {
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

export interface Hall extends Audience {
  /** Each takes its seat before it can be reached: who has connected misses nothing. */
  seat(listeners: Listeners): void
}

export const createHall = (): Hall => {
  let seated: Listeners = {}
  return {
    controlPlane: (event, payload) => seated.controlPlane?.publish(event, payload),
    broker: (event, payload) => seated.broker?.publish(event, payload),
    modelProxy: (event, payload) => seated.modelProxy?.publish(event, payload),
    runner: (event, payload) => seated.runner?.publish(event, payload),
    channels: (event, payload) => seated.channels?.publish(event, payload),
    seat: (listeners) => {
      seated = { ...seated, ...listeners }
    },
  }
}
