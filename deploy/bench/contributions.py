"""
Prints the milliseconds of CPU time that xgboost needs for `pred_contribs` on one thread, the least of some rounds, or why not.

usage: contributions.py <booster> <rows.f32> <columns> <rounds> <sha256 of the ONNX model>
"""

import sys
import time

import numpy as np
import xgboost as xgb


def main():
    path, rows_path, columns, rounds, sha256 = sys.argv[1:]
    booster = xgb.Booster(params={"nthread": 1}, model_file=path)
    if booster.attr("sha256") != sha256:
        print("the booster that `make train` left is not that of this model")
        return
    rows = np.fromfile(rows_path, np.float32).reshape(-1, int(columns))
    matrix = xgb.DMatrix(rows, nthread=1)
    booster.set_param({"nthread": 1})
    times = []
    for _ in range(int(rounds)):
        start = time.process_time()
        booster.predict(matrix, pred_contribs=True)
        times.append(time.process_time() - start)
    print(1_000 * min(times))


if __name__ == "__main__":
    main()
