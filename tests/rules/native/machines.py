"""A CRD as people write them, and a rule about it with every kind of invariant."""

from __future__ import annotations

from typing import Any, Final

from rules.documents import parse

CRD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: machines.example.test}
spec:
  group: example.test
  scope: Namespaced
  names: {plural: machines, singular: machine, kind: Machine, listKind: MachineList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: "self.replicas >= 0", message: not below zero}
            properties:
              replicas: {type: integer, default: 1}
              image: {type: string, maxLength: 256}
          status:
            type: object
            properties:
              observedGeneration: {type: integer, format: int64}
              phase: {type: string, enum: [Pending, Running, Failed, Done]}
              address: {type: string, maxLength: 64}
              startedAt: {type: string, format: date-time}
              replicas: {type: integer}
              readyReplicas: {type: integer}
              port: {x-kubernetes-int-or-string: true}
              load: {type: number}
              owner: {type: string, nullable: true}
              digest: {type: string, maxLength: 64}
              extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
              holds:
                type: object
                maxProperties: 8
                additionalProperties: {type: string, maxLength: 64}
              pools:
                type: array
                maxItems: 8
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 64}
                    replicas: {type: integer}
              conditions:
                type: array
                maxItems: 8
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status, lastTransitionTime]
                  properties:
                    type: {type: string, maxLength: 64}
                    status: {type: string, enum: ["True", "False", Unknown]}
                    reason: {type: string, maxLength: 64}
                    message: {type: string, maxLength: 256}
                    lastTransitionTime: {type: string, format: date-time}
                    observedGeneration: {type: integer, format: int64}
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, properties: {phase: {type: string}}}
"""

RULE: Final = """\
apiVersion: statusguard.dev/v1alpha1
kind: ClusterStatusRule
metadata: {name: machines}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.test], apiVersions: [v1], resources: [machines/status]}
  validationActions: [Deny]
  invariants:
  - {name: generation, observedGeneration: {}}
  - {name: counters, relation: {holds: ["status.readyReplicas <= status.replicas"]}}
  - {name: pools, relation: {holds: ["status.replicas == sum(status.pools[*].replicas)"], missing: Zero}}
  - {name: started, monotonic: {fields: [status.startedAt], direction: NonDecreasing}}
  - {name: address, writeOnce: {fields: [status.address]}}
  - {name: holds, preserved: {fields: [status.holds.*]}}
  - name: phases
    transitions:
      field: status.phase
      allow: [{from: [Pending], to: [Running]}, {from: [Running], to: [Done, Failed]}]
      initial: [Pending]
      terminal: [Done]
  - {name: conditions, conditions: {lastTransitionTime: OnlyWithStatus}}
  - name: done
    when: [{field: status.phase, operator: In, values: [Done], of: old}]
    frozen: {fields: [status.replicas]}
  - name: ready
    when: [{field: status.phase, operator: In, values: [Running]}]
    require: {all: [{field: "status.conditions[type=Ready].status", operator: Exists}]}
  - name: group
    coUpdate: {fields: [status.replicas, status.readyReplicas], stamp: status.digest, singleManager: true}
  - name: paused
    when: [{field: 'metadata.annotations["paused"]', operator: Exists}]
    frozen: {fields: [status.phase]}
"""


def data(written: str, source: str = "a.yaml") -> Any:
    (document,) = parse(written.encode(), source)
    return document.data
