# What the files of examples/pipelines must be. The schemas have the keys that are used,
# by the references of the tools; a key that is misspelled is none of them.
package files_test

import rego.v1

text := {"type": "string", "minLength": 1}

texts := {"type": "array", "items": text}

flag := {"type": "boolean"}

strict(properties, required) := {"type": "object", "properties": properties, "required": required, "additionalProperties": false}

fits(document, schema) if {
	[matches, wrong] := json.match_schema(document, schema)
	print(wrong)
	matches
}

jobs contains job if some job in data.files.github.jobs

jobs contains job if some job in data.files.drift.jobs

jobs contains job if some job in data.files.comment.jobs

# GitHub Actions; actionlint knows the keys.

test_github_pins_each_action_by_its_commit if {
	count([step | some job in jobs; some step in job.steps; step.uses]) > 5
	every job in jobs {
		every step in job.steps {
			regex.match(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`, object.get(step, "uses", "no/one@0000000000000000000000000000000000000000"))
		}
	}
}

test_github_permits_nothing_that_is_not_asked_for if {
	data.files.github.permissions == {}
	data.files.drift.permissions == {}
	data.files.comment.permissions == {}
	written := {what | some job in jobs; some what, level in job.permissions; level != "read"}
	written == {"issues", "pull-requests"}
}

test_github_applies_one_at_a_time_and_what_was_reviewed if {
	apply := data.files.github.jobs.apply
	apply.concurrency == {"group": "einvoice-apply", "cancel-in-progress": false}
	apply.environment == "einvoice-apply"
	commands := [step.run | some step in apply.steps; step.run]
	some judged, "policy/check.sh tfplan" in commands
	some applied, "terraform apply tfplan" in commands
	judged < applied
	not contains(concat("\n", commands), "terraform plan")
}

# A secret is in the environment of the steps that use it, and never in a command.
test_github_keeps_secrets_to_their_steps if {
	every job in jobs {
		not contains(json.marshal(object.get(job, "env", {})), "secrets.")
		every step in job.steps {
			not contains(object.get(step, "run", ""), "${{")
		}
	}
}

# GitLab: https://docs.gitlab.com/ci/yaml/

gitlab_job := strict(
	{
		"extends": text, "stage": {"enum": data.files.gitlab.stages}, "script": texts, "before_script": texts, "timeout": text,
		"environment": text, "resource_group": text, "interruptible": flag, "variables": {"type": "object", "additionalProperties": text},
		"image": strict({"name": text, "entrypoint": {"type": "array", "items": {"type": "string"}}}, ["name"]),
		"rules": {"type": "array", "items": strict({"if": text, "when": {"enum": ["manual"]}}, ["if"])},
		"artifacts": strict(
			{"access": {"enum": ["none", "developer"]}, "expire_in": text, "expose_as": text, "paths": texts},
			["access", "expire_in", "paths"],
		),
	},
	[],
)

test_gitlab if {
	fits(data.files.gitlab, {
		"type": "object",
		"properties": {
			"stages": texts,
			"workflow": strict({"rules": {"type": "array", "items": strict({"if": text}, ["if"])}}, ["rules"]),
			"variables": {"type": "object", "additionalProperties": text},
		},
		"additionalProperties": gitlab_job,
	})
	every name, job in object.remove(data.files.gitlab, ["stages", "workflow", "variables", ".terraform"]) {
		print(name)
		count(job.script) > 0
		count(job.rules) > 0
		object.get(job, "extends", ".terraform") == ".terraform"
	}
}

# A reader gets the plan's own output, warnings included, and nothing that holds secrets.
test_plans_are_shown_with_their_warnings if {
	commands := [step.run | some step in data.files.github.jobs.plan.steps; step.run]
	"terraform plan -no-color -out=tfplan 2>&1 | tee plan.txt" in commands
	"terraform plan -no-color -out=tfplan 2>&1 | tee plan.txt" in data.files.gitlab.plan.script
	shown := {path | some job in data.files.gitlab; job.artifacts.access == "developer"; some path in job.artifacts.paths}
	shown == {"plan.txt"}
}

test_gitlab_applies_one_at_a_time_and_by_hand if {
	apply := data.files.gitlab.apply
	apply.resource_group
	apply.interruptible == false
	apply.script == ["terraform apply tfplan"]
	every rule in apply.rules {
		rule.when == "manual"
		contains(rule["if"], "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH")
	}
}

# Atlantis: https://www.runatlantis.io/docs/repo-level-atlantis-yaml and server-side-repo-config

test_atlantis if {
	fits(data.files.atlantis, strict(
		{
			"version": {"enum": [3]}, "parallel_plan": flag, "parallel_apply": {"enum": [false]},
			"projects": {"type": "array", "items": strict(
				{"name": text, "dir": text, "autoplan": strict({"enabled": flag, "when_modified": texts}, ["when_modified"])},
				["name", "dir", "autoplan"],
			)},
		},
		["version", "parallel_apply", "projects"],
	))
}

requirements := {"type": "array", "items": {"enum": ["approved", "mergeable", "undiverged"]}}

step := {"anyOf": [{"enum": ["init", "plan", "show", "policy_check", "apply"]}, strict({"init": strict({"extra_args": texts}, ["extra_args"])}, ["init"])]}

stage := strict({"steps": {"type": "array", "items": step}}, ["steps"])

test_atlantis_on_the_server if {
	fits(data.files.server, strict(
		{
			"repos": {"type": "array", "items": strict(
				{
					"id": text, "branch": text, "workflow": {"enum": object.keys(data.files.server.workflows)},
					"plan_requirements": requirements, "apply_requirements": requirements, "import_requirements": requirements,
					"allowed_overrides": {"type": "array", "maxItems": 0}, "allow_custom_workflows": {"enum": [false]},
					"repo_locks": strict({"mode": {"enum": ["on_plan"]}}, ["mode"]),
				},
				["id", "branch", "workflow", "apply_requirements", "allowed_overrides", "allow_custom_workflows"],
			)},
			"workflows": {"type": "object", "additionalProperties": strict({"plan": stage, "policy_check": stage, "apply": stage}, ["plan", "policy_check", "apply"])},
			"policies": strict(
				{
					"owners": strict({"teams": texts}, ["teams"]), "approve_count": {"type": "integer"}, "prevent_self_approve": {"enum": [true]},
					"policy_sets": {"type": "array", "items": strict({"name": text, "path": text, "source": {"enum": ["local"]}}, ["name", "path", "source"])},
				},
				["owners", "policy_sets"],
			),
		},
		["repos", "workflows", "policies"],
	))
	every repo in data.files.server.repos {
		every requirement in ["approved", "mergeable", "undiverged"] {
			requirement in repo.apply_requirements
		}
	}
}

# pre-commit: https://pre-commit.com/#adding-pre-commit-plugins-to-your-project

test_commits if {
	fits(data.files.commits, strict(
		{"repos": {"type": "array", "items": strict(
			{
				"repo": text, "rev": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
				"hooks": {"type": "array", "items": strict(
					{"id": text, "name": text, "args": texts, "entry": text, "language": {"enum": ["system"]}, "files": text, "pass_filenames": flag},
					["id"],
				)},
			},
			["repo", "hooks"],
		)}},
		["repos"],
	))
	every repo in data.files.commits.repos {
		pinned(repo)
	}
}

pinned(repo) if repo.rev

pinned(repo) if repo.repo == "local"

# Dev containers: https://containers.dev/implementors/json_reference/

test_container if {
	fits(data.files.container, strict(
		{
			"name": text, "image": text, "postCreateCommand": text,
			"features": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": text}},
			"remoteEnv": {"type": "object", "additionalProperties": text},
			"mounts": {"type": "array", "items": strict({"type": {"enum": ["volume"]}, "source": text, "target": text}, ["type", "source", "target"])},
			"customizations": strict({"vscode": strict({"extensions": texts}, ["extensions"])}, ["vscode"]),
		},
		["image", "remoteEnv", "mounts"],
	))

	# What the provider remembers outlives the container, and no secret is in the file.
	data.files.container.remoteEnv.EINVOICE_CACHE_DIR == data.files.container.mounts[0].target
	data.files.container.remoteEnv.EINVOICE_API_KEY == "${localEnv:EINVOICE_API_KEY}"
}

# Compose: https://github.com/compose-spec/compose-spec/blob/main/spec.md

test_agent if {
	fits(data.files.agent, strict(
		{
			"include": texts,
			"services": {"type": "object", "additionalProperties": strict(
				{
					"image": text, "environment": {"type": "object", "additionalProperties": text}, "stop_grace_period": text,
					"depends_on": {"type": "object", "additionalProperties": strict({"condition": {"enum": ["service_healthy"]}}, ["condition"])},
				},
				["image"],
			)},
		},
		["services"],
	))
}
