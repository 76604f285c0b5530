// Public surface of outbound connections.
export {
  type AddressPolicy,
  createAddressPolicy,
  isPublicAddress,
  OutboundFailure,
  type OutboundFailureKind,
  type Reach,
  type Resolve,
} from './address-policy.ts'
export { type Connector, createConnect, type Dial, dialDirectly } from './connect.ts'
export { createOutlet, type Fetch, isEventStream, type Outlet } from './create-outlet.ts'
