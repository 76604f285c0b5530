// Calls of the runner: sessions, groups, evidence, and changes that an agent requests through its session socket.
import * as v from 'valibot'
import { ImageID } from '../catalog.ts'
import { ChangeState, Reason, Submitted } from '../change.ts'
import { call, defineEdge } from '../edge.ts'
import type { AuditStage } from '../frozen.ts'
import { AgentGroupID, ChangeID, ConversationID, Digest, SessionID, Time } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { PackageLock, PackageName, TreeSighting } from '../kinds/packages.ts'
import { limits } from '../limits.ts'
import { AgentGroup, MountSighting, Session } from '../registry.ts'
import { ChangeAnswer } from '../sandbox/session.ts'

/** The only stages of journal records that the runner may write. */
const runnerStages = ['seal-proof', 'launch', 'exit', 'kill', 'park', 'resume', 'terminate'] as const satisfies readonly AuditStage[]

export const gatewayRunner = defineEdge({
  server: 'gateway',
  caller: 'runner',
  calls: {
    /** The open session of this group and conversation, opened if there is none. Throws `not-found` for an unknown group. */
    openSession: call(v.strictObject({ agentGroupID: AgentGroupID, conversationID: ConversationID }), Session, { patient: true }),
    closeSession: call(v.strictObject({ session: SessionID }), v.strictObject({}), { patient: true }),
    /** A session with its group. A frozen session is not launched. `applied` counts the applied changes of the group. */
    session: call(
      v.strictObject({ session: SessionID }),
      v.strictObject({ session: Session, group: AgentGroup, applied: v.number(), frozen: v.boolean() }),
      { patient: true },
    ),
    sessions: call(v.strictObject({}), v.array(Session), { patient: true, large: true }),
    submitFor: call(
      v.strictObject({
        session: SessionID,
        kind: v.string(),
        after: v.unknown(),
        reason: v.optional(v.string()),
        /** When the agent received the first message of its current turn. */
        turnSince: v.optional(Time),
      }),
      Submitted,
      { patient: true, large: true, deadline: limits.submitTime },
    ),
    /** A change of the session's group. Throws `not-found` for other changes. */
    changeFor: call(v.strictObject({ session: SessionID, id: ChangeID }), ChangeAnswer, { patient: true }),
    /** Withdraws a pending change that this session requested. Idempotent. */
    withdrawFor: call(v.strictObject({ session: SessionID, id: ChangeID, reason: v.optional(Reason) }), ChangeAnswer, { patient: true }),
    /** Inspections of the host paths in `mounts-wanted`. */
    sighted: call(v.strictObject({ mounts: v.array(MountSighting) }), v.strictObject({}), { patient: true }),
    /** Image ids of the references in `images-wanted`; without an id if there is no such image. */
    imagesSighted: call(
      v.strictObject({ images: v.array(v.strictObject({ image: v.string(), id: v.optional(ImageID) })) }),
      v.strictObject({}),
      { patient: true },
    ),
    /** The package tree of the names in `packages-wanted`. */
    resolved: call(TreeSighting, v.strictObject({}), { patient: true, large: true }),
    /** The tree of an applied change of packages. Throws `not-found` for other changes. */
    tree: call(v.strictObject({ changeID: ChangeID }), v.strictObject({ tree: Digest, lock: PackageLock }), { patient: true, large: true }),
    /** All agent groups. */
    groups: call(v.strictObject({}), v.array(AgentGroupID), { patient: true, large: true }),
    /** The package trees of all groups. */
    trees: call(v.strictObject({}), v.array(Digest), { patient: true }),
    /** Reports the rollout status of an applied change in a session. */
    condition: call(
      v.strictObject({
        changeID: ChangeID,
        session: SessionID,
        status: v.picklist(['pending', 'ready', 'failed']),
        reason: v.optional(v.string()),
      }),
      v.strictObject({}),
      { patient: true },
    ),
    note: call(
      v.strictObject({
        stage: v.picklist(runnerStages),
        agentGroupID: v.optional(AgentGroupID),
        detail: JsonObject,
      }),
      v.strictObject({}),
      { patient: true },
    ),
  },
  events: {
    'surface-ready': v.strictObject({ session: SessionID }),
    /** A change of this group was applied. Relaunch when the session is idle, or within 30 s if the change narrows. */
    'group-changed': v.strictObject({ agentGroupID: AgentGroupID, changeID: ChangeID, narrowing: v.boolean() }),
    /** A group was removed. Its files are kept for a limited time. */
    'group-removed': v.strictObject({ agentGroupID: AgentGroupID }),
    /** A freeze of the unit or of a group was set or lifted. */
    'freeze-changed': v.strictObject({}),
    'mounts-wanted': v.strictObject({ sources: v.array(v.string()) }),
    'images-wanted': v.strictObject({ images: v.array(v.string()) }),
    'packages-wanted': v.strictObject({ names: v.array(PackageName) }),
    /** A session was terminated, or its group was removed. */
    'session-closed': v.strictObject({ session: SessionID }),
    /** A change that this session requested has ended. */
    'change-decided': v.strictObject({
      session: SessionID,
      id: ChangeID,
      state: ChangeState,
      kind: v.string(),
      reason: v.optional(v.string()),
    }),
  },
})
