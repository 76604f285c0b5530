// Public surface of the typed RPC: both sides of an edge.
export { connectEdge, type ConnectOptions } from './connect.ts'
export type { CallContext, CallOptions, Calls, EdgeClient, EdgeServer, EventListeners, Handlers } from './contract.ts'
export { fieldIssues } from './messages.ts'
export { serveEdge, type ServeOptions } from './serve.ts'
export { createLife, type Edges, holdState, type LifeHandlers, runServiceProcess } from './service-process.ts'
