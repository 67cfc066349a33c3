// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// Runs the calls of a simulation one after another within one eth_call, for nodes without
/// eth_simulateV1. It never exists on a chain: its code is put, for the length of a call, at the plain
/// accounts that are to act, so that each of them is the sender of its own calls. The outermost call
/// comes from the trader and goes to the trader.
contract CallSequence {
    /// Answers longer than this are cut: a hostile contract may answer megabytes.
    uint256 private constant ANSWER_BYTES_MAX = 4_200;
    uint256 private constant HEAD_BYTES = 160;

    /// Steps back to back: five words (sender, target, value, gas, bytes of data), then the data, filled
    /// up to whole words. Answers back to back: three words (success, gas used, bytes), then the bytes,
    /// filled up likewise. A step without gas is a wait: its value is forced upon the target, see
    /// `codeClock.ts`, and nothing is answered.
    fallback(bytes calldata steps) external payable returns (bytes memory answers) {
        // Tokens may call those who receive them: only the trader of the outermost call gives orders.
        if (msg.sender != tx.origin) return answers;
        while (steps.length >= HEAD_BYTES) {
            uint256 size = HEAD_BYTES + _filled(uint256(bytes32(steps[128:160])));
            answers = bytes.concat(answers, _run(steps[:size]));
            steps = steps[size:];
        }
    }

    function _run(bytes calldata step) private returns (bytes memory) {
        (address sender, address target, uint256 value, uint256 limit, uint256 size) =
            abi.decode(step, (address, address, uint256, uint256, uint256));
        if (limit == 0) {
            new Gift{value: value}(payable(target));
            return "";
        }
        if (sender == address(this)) return _call(target, value, limit, step[HEAD_BYTES:HEAD_BYTES + size]);
        // The other account gets the value first, and all the gas that is left: its call has a limit.
        (, bytes memory answer) = sender.call{value: value}(step);
        return answer;
    }

    function _call(address target, uint256 value, uint256 limit, bytes memory data)
        private
        returns (bytes memory)
    {
        uint256 before = gasleft();
        bool done;
        bytes memory answer;
        assembly {
            done := call(limit, target, value, add(data, 32), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, ANSWER_BYTES_MAX) { size := ANSWER_BYTES_MAX }
            answer := mload(0x40)
            mstore(answer, size)
            let words := and(add(size, 31), not(31))
            // Cleared first, since memory beyond the pointer may be in use before.
            calldatacopy(add(answer, 32), calldatasize(), words)
            returndatacopy(add(answer, 32), 0, size)
            mstore(0x40, add(add(answer, 32), words))
        }
        uint256 used = before - gasleft();
        uint256 length = answer.length;
        assembly {
            mstore(answer, and(add(length, 31), not(31)))
        }
        return bytes.concat(abi.encode(done, used, length), answer);
    }

    function _filled(uint256 size) private pure returns (uint256) {
        return (size + 31) & ~uint256(31);
    }
}

/// Ether that nobody can refuse.
contract Gift {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
